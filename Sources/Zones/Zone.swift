public import DNSWire

/// One zone, immutable and indexed: every existing name, including empty non-terminals, with its RRsets.
///
/// `ZoneBuilder` builds it. Lookups work on indices. RDATA lies in one array, in the form that
/// `MessageWriter.appendRRset` takes.
public final class Zone: Sendable {
    /// A name of the zone.
    package struct Node: Sendable {
        /// The node's range in `rrsets`.
        package internal(set) var rrsets: Range<UInt32>
        /// The topmost zone cut at or above this node: a delegation or a DNAME. -1 for none.
        package internal(set) var boundary: Int32 = -1
        /// The wildcard directly below; -1 for none.
        package internal(set) var wildcard: Int32 = -1
        var tailored: TailoredKinds = []
        package var isTailored: Bool { !tailored.isEmpty }
        /// Whether the name exists only because of NSEC3 records. Queries do not see it (RFC 5155, section 7.2.8).
        package internal(set) var isHashedOwner = false
        /// Whether the name was removed from the zone. The table of names does not find it.
        package internal(set) var isRemoved = false
        /// Number of names directly below.
        var children: UInt32 = 0
    }

    @usableFromInline
    package struct RRset: Sendable {
        package internal(set) var type: RecordType
        package internal(set) var ttl: UInt32
        /// The range of the records in `data`. Each record is preceded by its length.
        @usableFromInline package internal(set) var data: Range<UInt32>
    }

    /// TTLs have 31 bits (RFC 2181, section 8).
    static let maximumTTL = UInt32(Int32.max)

    /// The zone's name.
    public let apex: DomainName
    /// The apex is node 0.
    package let names: PatchedNames
    package let nodes: PatchedArray<Node>
    package let rrsets: PatchedArray<RRset>
    @usableFromInline let data: PatchedBytes
    package let soa: RRset
    /// TTL of the SOA in negative answers: min(SOA TTL, MINIMUM) (RFC 2308, section 5).
    package let negativeTTL: UInt32
    package let apexLabelCount: Int
    let denial: Denial
    package let dependents: Dependents
    /// Whether any record is a signature.
    package let hasSignatures: Bool

    /// - Throws: `ZoneError` if the zone is signed in a way that cannot be served.
    init(
        apex: DomainName, names: NameTable, nodes: [Node], rrsets: [RRset], data: [UInt8], soa: RRset
    ) throws(ZoneError) {
        var contents = Contents(names: names, nodes: nodes, rrsets: rrsets, data: data)
        contents.sortSignatures()
        contents.capTTLs()
        denial = try contents.indexDenial(apex: apex)
        self.apex = apex
        self.names = PatchedNames(names)
        self.nodes = PatchedArray(contents.nodes)
        self.rrsets = PatchedArray(contents.rrsets)
        self.data = PatchedBytes(contents.data)
        self.soa = soa
        negativeTTL = Self.negativeTTL(soa, self.data)
        apexLabelCount = apex.labelCount
        dependents = Dependents(apex, self.names, self.nodes, self.rrsets, soa, self.data)
        hasSignatures = contents.rrsets.contains { $0.type == .rrsig }
    }

    /// An unsigned zone with other contents. They must not add signatures.
    init(
        _ earlier: Zone, names: PatchedNames, nodes: PatchedArray<Node>, rrsets: PatchedArray<RRset>,
        data: PatchedBytes, soa: RRset, dependents: Dependents
    ) {
        apex = earlier.apex
        apexLabelCount = earlier.apexLabelCount
        denial = .none
        (self.names, self.nodes, self.rrsets, self.data, self.soa) = (names, nodes, rrsets, data, soa)
        self.dependents = dependents
        hasSignatures = earlier.hasSignatures
        negativeTTL = Self.negativeTTL(soa, data)
    }

    private static func negativeTTL(_ soa: RRset, _ data: PatchedBytes) -> UInt32 {
        // MINIMUM is the last field of the SOA's RDATA.
        let minimum = data.withBytes(Int(soa.data.lowerBound)..<Int(soa.data.upperBound)) { data in
            data.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
        }
        return min(soa.ttl, minimum, maximumTTL)
    }

    /// Number of names in the zone, including empty non-terminals.
    public var nameCount: Int { nodes.count - dependents.removed }
    /// Number of RRsets in the zone.
    public var rrsetCount: Int { rrsets.count }

    /// Whether `name` exists with an RRset of `type`.
    public func hasRRset(_ name: DomainName, _ type: RecordType) -> Bool {
        LookupName.withScratch { scratch in
            name.wire.withUnsafeBytes { scratch.load($0) }
            guard let node = names.find(scratch, from: 0) else { return false }
            return rrset(at: node, type) != nil
        }
    }

    /// The RRset of `type` at a node. Nodes have few types, so a linear search is fastest.
    package func rrset(at node: Int, _ type: RecordType) -> RRset? {
        for index in nodes[node].rrsets where rrsets[Int(index)].type == type { return rrsets[Int(index)] }
        return nil
    }

    /// The signatures that cover `type` at a node, in the form that the message writer takes; `nil` for none.
    package func signatures(at node: Int, of type: RecordType) -> Range<Int>? {
        guard let set = rrset(at: node, .rrsig) else { return nil }
        let start = Int(set.data.lowerBound)
        return withData(set) { data in
            var (first, position) = (0, 0)
            // Sorted by the type they cover.
            while position < data.count {
                let covered = data.number(at: position + 2)
                if covered > type.rawValue { break }
                position += 2 + Int(data.number(at: position))
                if covered < type.rawValue { first = position }
            }
            return first < position ? start + first..<start + position : nil
        }
    }

    /// Calls `body` with an RRset's records in the form that the message writer takes.
    @inlinable package func withData<Result>(_ rrset: RRset, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withData(Int(rrset.data.lowerBound)..<Int(rrset.data.upperBound), body)
    }

    /// Calls `body` with a contiguous range of records.
    @inlinable package func withData<Result>(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result
    {
        data.withBytes(range, body)
    }
}

extension UnsafeRawBufferPointer {
    /// The 16-bit number in network order at `position`.
    @inlinable package func number(at position: Int) -> UInt16 {
        UInt16(self[position]) << 8 | UInt16(self[position + 1])
    }
}
