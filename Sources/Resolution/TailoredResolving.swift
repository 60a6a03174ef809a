public import DNSWire
public import IPNetworks

/// The addresses that a client gets for a tailored name.
public struct TailoredAnswer: Hashable, Sendable {
    /// Addresses of the requested type, in answer order.
    public var addresses: [IPAddress]
    /// Seconds.
    public var ttl: UInt32
    /// The scope prefix length, sent if the query has a client subnet: the depth of the location table's leaf.
    public var scope: UInt8
    /// Slot of the node that the first address belongs to; `nil` for an address that belongs to none.
    public var node: Int?

    public init(addresses: [IPAddress], ttl: UInt32, scope: UInt8, node: Int? = nil) {
        self.addresses = addresses
        self.ttl = ttl
        self.scope = scope
        self.node = node
    }
}

/// The decision for one client and one tailored name.
public enum TailoredDecision: Hashable, Sendable {
    case answer(TailoredAnswer)
    /// No node of the pool has an address of the type: NODATA with the zone's SOA.
    case noData
    case refused
}

/// An RRset composed for one query.
public struct TailoredRRset: Hashable, Sendable {
    /// The requested type, or CNAME.
    public var type: RecordType
    /// The records in the form that `MessageWriter.appendRRset` takes: at least one.
    public var data: [UInt8]
    /// Seconds.
    public var ttl: UInt32
    /// As in `TailoredAnswer`; 0 if every client gets the same.
    public var scope: UInt8
    /// Slot of the node that the first record leads to; `nil` for SRV, whose records lead to all.
    public var node: Int?

    public init(type: RecordType, data: [UInt8], ttl: UInt32, scope: UInt8, node: Int? = nil) {
        self.type = type
        self.data = data
        self.ttl = ttl
        self.scope = scope
        self.node = node
    }
}

/// The decision for one client and one name with tailored records.
public enum TailoredRecordsDecision: Hashable, Sendable {
    case records(TailoredRRset)
    /// The type is not tailored here: the zone answers.
    case notTailored
    case refused
}

/// Decides tailored names.
public protocol TailoredResolving: Sendable {
    /// Index of a tailored name, by exact match on the lower-case wire name including the root label; `nil` if it is
    /// not tailored.
    func tailoredIndex(of lowercasedWire: UnsafeRawBufferPointer) -> Int?

    /// Decides the answer at a tailored name.
    ///
    /// - Parameters:
    ///   - index: The result of `tailoredIndex`.
    ///   - type: A or AAAA.
    ///   - client: The sender's address.
    ///   - subnet: The client subnet as sent; `nil` if there is none or its source length is 0. Then the sender's
    ///     address decides, and the scope sent is 0.
    ///   - nameHash: The steering hash of the query's name if `index` is a wildcard that it was found by. `nil`: the
    ///     hash of the tailored name.
    func decide(
        index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?, nameHash: UInt64?
    ) -> TailoredDecision

    /// Index of the tailored records at a name that decide a query for `type`; works like `tailoredIndex`. `nil` for the
    /// type: any.
    func recordsIndex(of lowercasedWire: UnsafeRawBufferPointer, type: RecordType?) -> Int?

    /// The records of `type` at such a name, or the alias that replaces them; `index` is a result of `recordsIndex`.
    func decideRecords(
        index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?, nameHash: UInt64?
    ) -> TailoredRecordsDecision

    /// Whether any tailored name is a wildcard. If none is, the zones are not searched for one.
    var hasWildcards: Bool { get }
}

extension TailoredResolving {
    /// None: only addresses are tailored.
    public func recordsIndex(of lowercasedWire: UnsafeRawBufferPointer, type: RecordType?) -> Int? { nil }

    public func decideRecords(
        index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?, nameHash: UInt64?
    ) -> TailoredRecordsDecision { .notTailored }

    /// None.
    public var hasWildcards: Bool { false }
}
