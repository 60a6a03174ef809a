import DNSWire
public import Resolution
import Zones

/// What changes in a table of static answers when zones get other versions, and nothing else does.
///
/// A reply may hold data of other names than its own: at the end of an alias, as addresses of a host, as the SOA of a zone. So
/// the names that change are those whose data differ, those above whose wildcard differs, and those whose records lead to
/// one that changes, over any number of steps. They are too many rather than too few.
public struct StaticChanges: Sendable {
    /// What the table has to say of a name now.
    public struct Name: Sendable {
        let name: StaticName
        /// Whether its addresses are tailored.
        let isTailored: Bool
        /// The zone it is in, in lower case.
        let apex: [UInt8]
    }

    public private(set) var names: [Name] = []
    /// Names that the table has not any more, in lower case.
    private(set) var removed: [[UInt8]] = []
    /// Zones that have other replies to what is not there.
    private(set) var zones: [StaticZone] = []

    /// The changes from one model to another that differs in the contents of zones alone.
    ///
    /// - Parameters:
    ///   - names: of the zones by their places, the names that may differ; `nil`: found by comparing the zones.
    ///   - sharing: apexes of the zones in the table whose names share the replies to what is not there.
    ///   - limit: on how many names may change.
    /// - Returns: `nil` when the table has to be made anew: there are too many changes, or such as are not followed: in
    ///   signed zones, at delegations and DNAMEs, above other zones, and of the SOA's names.
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
