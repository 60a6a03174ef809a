public import DNSWire

/// One zone, immutable and indexed: every name that exists in it, empty non-terminals included, with its RRsets.
///
/// Made by `ZoneBuilder`. Answers are looked up by index, and RDATA lies in one array in the form that
/// `MessageWriter.appendRRset` takes.
public final class Zone: Sendable {
    /// A name of the zone.
    struct Node: Sendable {
        /// The node's place in `rrsets`.
        var rrsets: Range<UInt32>
        /// The topmost node at or above this one where the zone's own data ends: a delegation or a DNAME. -1 for none.
        var boundary: Int32 = -1
        /// The wildcard directly below; -1 for none.
        var wildcard: Int32 = -1
        var isTailored = false
    }

    struct RRset: Sendable {
        var type: RecordType
        var ttl: UInt32
        /// The place in `data` of the records, each with its length before it.
        var data: Range<UInt32>
    }

    /// The zone's name.
    public let apex: DomainName
    /// The apex is node 0.
    let names: NameTable
    let nodes: [Node]
    let rrsets: [RRset]
    let data: [UInt8]
    let soa: RRset
    /// TTL of the SOA in negative answers: min(SOA TTL, MINIMUM) (RFC 2308, section 5).
    let negativeTTL: UInt32
    let apexLabelCount: Int

    init(apex: DomainName, names: NameTable, nodes: [Node], rrsets: [RRset], data: [UInt8], soa: RRset) {
        self.apex = apex
        self.names = names
        self.nodes = nodes
        self.rrsets = rrsets
        self.data = data
        self.soa = soa
        // MINIMUM is the last field of the SOA's RDATA.
        let minimum = data[Int(soa.data.lowerBound)..<Int(soa.data.upperBound)].suffix(4).reduce(0) {
            $0 << 8 | UInt32($1)
        }
        negativeTTL = min(soa.ttl, minimum)
        apexLabelCount = apex.labelCount
    }

    /// Names in the zone, empty non-terminals included.
    public var nameCount: Int { nodes.count }
    /// RRsets in the zone.
    public var rrsetCount: Int { rrsets.count }

    /// Whether `name` exists with an RRset of `type`.
    public func hasRRset(_ name: DomainName, _ type: RecordType) -> Bool {
        LookupName.withScratch { scratch in
            name.wire.withUnsafeBytes { scratch.load($0) }
            guard let node = names.find(scratch, from: 0) else { return false }
            return rrset(at: node, type) != nil
        }
    }

    /// The RRset of `type` at a node. Nodes have few types: a walk is quicker than a search.
    func rrset(at node: Int, _ type: RecordType) -> RRset? {
        for index in nodes[node].rrsets where rrsets[Int(index)].type == type { return rrsets[Int(index)] }
        return nil
    }

    /// Calls `body` with an RRset's records as the message writer takes them.
    func withData<Result>(_ rrset: RRset, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        data.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[Int(rrset.data.lowerBound)..<Int(rrset.data.upperBound)]))
        }
    }
}
