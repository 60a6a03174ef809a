public import DNSWire

/// All zones served. The zone of a name is the one with the longest matching suffix.
public struct ZoneSet: Sendable {
    public let zones: [Zone]
    private let apexes: NameTable
    /// Label counts of the shortest and the longest apex: a search is limited to these.
    private let labelCounts: ClosedRange<Int>
    /// By identity of the zone. `zones` keeps the zones alive, so that no identity is reused.
    private let accessLists: [ObjectIdentifier: AccessList]

    /// - Parameter access: access lists by apex; a zone without one answers every client.
    /// - Throws: `ZoneError` if two zones have the same name.
    public init(_ zones: [Zone], access: [DomainName: AccessList] = [:]) throws(ZoneError) {
        var seen: Set<DomainName> = []
        for zone in zones where !seen.insert(zone.apex).inserted {
            throw ZoneError(name: zone.apex, message: "the zone is listed twice; remove one")
        }
        self.zones = zones
        apexes = NameTable(zones.map(\.apex))
        let counts = zones.map(\.apexLabelCount)
        var accessLists: [ObjectIdentifier: AccessList] = [:]
        for zone in zones { accessLists[ObjectIdentifier(zone)] = access[zone.apex] }
        self.accessLists = accessLists
        labelCounts = (counts.min() ?? 0)...(counts.max() ?? 0)
    }

    /// The same zones with newer versions of some, by index. A version keeps the apex and the access list of its
    /// predecessor.
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

    /// The zone that `name` belongs to: the closest one at or above it.
    public func zone(of name: DomainName) -> Zone? {
        LookupName.withScratch { scratch in
            name.wire.withUnsafeBytes { scratch.load($0) }
            return find(scratch)
        }
    }

    /// Whether any zone has an access list.
    package var hasAccessLists: Bool { !accessLists.isEmpty }

    /// Which senders may query `zone`; `nil`: all.
    public func accessList(of zone: Zone) -> AccessList? { accessLists[ObjectIdentifier(zone)] }

    /// Whether every client may query `name`, as far as access lists are concerned.
    public func isOpen(_ name: DomainName) -> Bool {
        !hasAccessLists || zone(of: name).flatMap { accessList(of: $0) } == nil
    }

    /// Whether `name` may have an address: its zone has one, or an alias or a delegation that leads on.
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

    /// Skips the first `skipping` labels of `name`, and finds the zone with the longest apex at or above the rest.
    package func find(_ name: LookupName, skipping: Int = 0) -> Zone? {
        var labels = min(name.labelCount - skipping, labelCounts.upperBound)
        while labels >= labelCounts.lowerBound {
            if let index = apexes.find(name, from: name.labelCount - labels) { return zones[index] }
            labels -= 1
        }
        return nil
    }
}
