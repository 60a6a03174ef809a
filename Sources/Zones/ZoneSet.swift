public import DNSWire

/// All zones that are served, found by the longest suffix of a name.
public struct ZoneSet: Sendable {
    public let zones: [Zone]
    private let apexes: NameTable
    /// Labels of the shortest and the longest apex: no others are looked for.
    private let labelCounts: ClosedRange<Int>
    /// By the zone they belong to; the zones are kept above, so that no other takes an identity.
    private let accessLists: [ObjectIdentifier: AccessList]

    /// - Parameter access: lists by the apex of their zone; a zone without one answers everybody.
    /// - Throws: `ZoneError` when two zones have one name.
    public init(_ zones: [Zone], access: [DomainName: AccessList] = [:]) throws(ZoneError) {
        var seen: Set<DomainName> = []
        for zone in zones where !seen.insert(zone.apex).inserted {
            throw ZoneError(name: zone.apex, message: "the zone is there twice; remove one")
        }
        self.zones = zones
        apexes = NameTable(zones.map(\.apex))
        let counts = zones.map(\.apexLabelCount)
        var accessLists: [ObjectIdentifier: AccessList] = [:]
        for zone in zones { accessLists[ObjectIdentifier(zone)] = access[zone.apex] }
        self.accessLists = accessLists
        labelCounts = (counts.min() ?? 0)...(counts.max() ?? 0)
    }

    /// The same zones with other versions of some, by their places; each with the apex and the access list of the one before.
    public func replacing(_ versions: [Int: Zone]) -> ZoneSet { ZoneSet(self, versions) }

    private init(_ earlier: ZoneSet, _ versions: [Int: Zone]) {
        var (zones, accessLists) = (earlier.zones, earlier.accessLists)
        for (index, zone) in versions {
            precondition(zone.apex == zones[index].apex, "another version of a zone has its name")
            accessLists[ObjectIdentifier(zone)] = accessLists.removeValue(forKey: ObjectIdentifier(zones[index]))
            zones[index] = zone
        }
        (self.zones, self.accessLists) = (zones, accessLists)
        (apexes, labelCounts) = (earlier.apexes, earlier.labelCounts)
    }

    /// The zone that `name` belongs to: itself or the closest above.
    public func zone(of name: DomainName) -> Zone? {
        LookupName.withScratch { scratch in
            name.wire.withUnsafeBytes { scratch.load($0) }
            return find(scratch)
        }
    }

    /// Whether any zone has an access list.
    package var hasAccessLists: Bool { !accessLists.isEmpty }

    /// Who may ask for names of `zone`; `nil` for everybody.
    public func accessList(of zone: Zone) -> AccessList? { accessLists[ObjectIdentifier(zone)] }

    /// Whether everybody may ask for `name`, for all that its zone says.
    public func isOpen(_ name: DomainName) -> Bool {
        !hasAccessLists || zone(of: name).flatMap { accessList(of: $0) } == nil
    }

    /// Whether an address of `name` may be found: its zone has one, or an alias or a delegation that leads on.
    public func mayHaveAddress(_ name: DomainName) -> Bool {
        LookupName.withScratch { scratch in
            name.wire.withUnsafeBytes { scratch.load($0) }
            guard let zone = find(scratch) else { return false }
            let match = zone.match(scratch)
            return [RecordType.a, .aaaa].contains { type in
                switch zone.find(match, type) {
                case .data, .alias, .dname, .referral: true
                case .noData, .onlyTailored, .nxDomain: false
                }
            }
        }
    }

    /// The zone of the longest apex that has at most as many labels as `name` without its first `skipping` labels.
    package func find(_ name: LookupName, skipping: Int = 0) -> Zone? {
        var labels = min(name.labelCount - skipping, labelCounts.upperBound)
        while labels >= labelCounts.lowerBound {
            if let index = apexes.find(name, from: name.labelCount - labels) { return zones[index] }
            labels -= 1
        }
        return nil
    }
}
