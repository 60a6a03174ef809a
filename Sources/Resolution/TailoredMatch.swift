import DNSWire
import Steering
import Zones

/// What is tailored at the name of a query.
public struct TailoredMatch: Hashable, Sendable {
    /// Index among the tailored names, for A and AAAA.
    public let addresses: Int?
    /// Index among the tailored records of other types.
    public let records: Int?
    /// The steering hash of the query's name if a wildcard covers it. `nil`: the tailored name is the query's name.
    public let nameHash: UInt64?

    init(addresses: Int?, records: Int?, nameHash: UInt64? = nil) {
        (self.addresses, self.records, self.nameHash) = (addresses, records, nameHash)
    }

    var isEmpty: Bool { addresses == nil && records == nil }
}

extension TailoredResolving {
    /// The tailored wildcard that covers a name, which has no tailored entry of its own (RFC 4592, section 3.3.1): the
    /// wildcard directly below its closest encloser. `nil` if the name exists or that wildcard is not tailored.
    ///
    /// The query's name is the owner of the answer, and its hash divides clients between nodes, as if the name had an
    /// entry of its own.
    ///
    /// - Parameter type: the type of records other than addresses; `nil`: any.
    func wildcard(for name: LookupName, _ type: RecordType? = nil, in zones: ZoneSet) -> TailoredMatch? {
        guard hasWildcards, let zone = zones.find(name) else { return nil }
        let match = zone.match(name)
        guard match.isSynthesised, let source = match.source, zone.nodes[source].isTailored else { return nil }
        return zone.names.withName(at: source) { wire in
            let found = TailoredMatch(
                addresses: tailoredIndex(of: wire), records: recordsIndex(of: wire, type: type),
                nameHash: steeringHash(name.suffix(0)))
            return found.isEmpty ? nil : found
        }
    }
}
