public import DNSWire

/// All zones that are served, found by the longest suffix of a name.
public struct ZoneSet: Sendable {
    public let zones: [Zone]
    private let apexes: NameTable
    /// Labels of the shortest and the longest apex: no others are looked for.
    private let labelCounts: ClosedRange<Int>

    /// - Throws: `ZoneError` when two zones have one name.
    public init(_ zones: [Zone]) throws(ZoneError) {
        var seen: Set<DomainName> = []
        for zone in zones where !seen.insert(zone.apex).inserted {
            throw ZoneError(name: zone.apex, message: "the zone is there twice; remove one")
        }
        self.zones = zones
        apexes = NameTable(zones.map(\.apex))
        let counts = zones.map(\.apexLabelCount)
        labelCounts = (counts.min() ?? 0)...(counts.max() ?? 0)
    }

    /// The zone that `name` belongs to: itself or the closest above.
    public func zone(of name: DomainName) -> Zone? {
        LookupName.withScratch { scratch in
            name.wire.withUnsafeBytes { scratch.load($0) }
            return find(scratch)
        }
    }

    /// The zone of the longest apex that has at most as many labels as `name` without its first `skipping` labels.
    func find(_ name: LookupName, skipping: Int = 0) -> Zone? {
        var labels = min(name.labelCount - skipping, labelCounts.upperBound)
        while labels >= labelCounts.lowerBound {
            if let index = apexes.find(name, from: name.labelCount - labels) { return zones[index] }
            labels -= 1
        }
        return nil
    }
}
