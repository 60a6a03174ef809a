import DNSWire
public import Resolution
import Zones

/// What changes in a table of static answers when only the contents of zones change.
///
/// A reply may contain data of other names: at the end of an alias, as the addresses of a host, or as the SOA of a
/// zone. So these names change: names whose data differ, parents of a wildcard that differs, and names whose records
/// lead to a changed name, in any number of steps. The result may contain names that did not change, but misses none.
public struct StaticChanges: Sendable {
    /// The new entry of a name.
    public struct Name: Sendable {
        let name: StaticName
        /// Whether its addresses are tailored.
        let isTailored: Bool
        /// The zone it is in, in lower case.
        let apex: [UInt8]
    }

    public private(set) var names: [Name] = []
    /// Names that are no longer in the table, in lower case.
    private(set) var removed: [[UInt8]] = []
    /// Zones whose negative replies changed.
    private(set) var zones: [StaticZone] = []

    /// The changes between two models that differ only in the contents of zones.
    ///
    /// - Parameters:
    ///   - names: by the index of a zone, the names that may differ; `nil`: the zones are compared.
    ///   - sharing: apexes of the zones in the table whose names share negative replies.
    ///   - limit: maximum number of changed names.
    /// - Returns: `nil` if new tables are needed: there are too many changes, or changes that are not followed (in
    ///   signed zones, at delegations and DNAMEs, above other zones, and of the names in an SOA).
    public init?(
        from earlier: ServingModel, to model: ServingModel, names: [Int: Set<[UInt8]>]? = nil,
        sharing: Set<[UInt8]>, limit: Int
    ) {
        guard var search = ChangeSearch(earlier.zones, model.zones, sharing: sharing, limit: limit) else { return nil }
        guard search.compare(names), search.follow(), search.follow(model) else { return nil }
        let renderer = StaticRenderer(model)
        let hasNested = model.zones.zones.count > 1
        for index in search.zones {
            let zone = model.zones.zones[index]
            guard model.zones.accessList(of: zone) == nil else { continue }
            let table = ZoneNames(zone, renderer, hasNested: hasNested)
            let apex = zone.apex.lowercasedWire
            if search.otherSOA.contains(index), sharing.contains(apex) { zones.append(table.replies) }
            for wire in search.names(of: index) where table.isOwn(wire) {
                if let name = table.name(wire) {
                    self.names.append(Name(name: name, isTailored: renderer.hasTailoredAddresses(wire), apex: apex))
                } else if !table.has(wire) {
                    removed.append(wire)
                }
            }
        }
    }
}
