public import DNSWire
public import IPNetworks

/// The records that a client gets for a tailored name.
public struct TailoredAnswer: Hashable, Sendable {
    /// Addresses of the type asked for, in answer order.
    public var addresses: [IPAddress]
    /// Seconds.
    public var ttl: UInt32
    /// The scope prefix length to send when the query has a client subnet: depth of the location leaf.
    public var scope: UInt8

    public init(addresses: [IPAddress], ttl: UInt32, scope: UInt8) {
        self.addresses = addresses
        self.ttl = ttl
        self.scope = scope
    }
}

/// What is decided for one client and one tailored name.
public enum TailoredDecision: Hashable, Sendable {
    case answer(TailoredAnswer)
    /// No node of the pool has an address of the type: NODATA with the zone's SOA.
    case noData
    case refused
}

/// An RRset that is made for a query.
public struct TailoredRRset: Hashable, Sendable {
    /// The type that was asked for, or CNAME.
    public var type: RecordType
    /// The records as `MessageWriter.appendRRset` takes them: at least one.
    public var data: [UInt8]
    /// Seconds.
    public var ttl: UInt32
    /// As in `TailoredAnswer`; 0 where every client gets the same.
    public var scope: UInt8

    public init(type: RecordType, data: [UInt8], ttl: UInt32, scope: UInt8) {
        self.type = type
        self.data = data
        self.ttl = ttl
        self.scope = scope
    }
}

/// What is decided for one client and one name with tailored records.
public enum TailoredRecordsDecision: Hashable, Sendable {
    case records(TailoredRRset)
    /// The type is not tailored here: the zone answers.
    case notTailored
    case refused
}

/// What decides tailored names.
public protocol TailoredResolving: Sendable {
    /// Index of a tailored name, by exact match on the lower-cased wire name with the root's byte; else `nil`.
    func tailoredIndex(of lowercasedWire: UnsafeRawBufferPointer) -> Int?

    /// The answer at a tailored name.
    ///
    /// - Parameters:
    ///   - index: As `tailoredIndex` gave it.
    ///   - type: A or AAAA.
    ///   - client: The sender's address.
    ///   - subnet: The client subnet of the query, as sent; `nil` when there is none or its source length is 0: then the
    ///     sender's address decides, and the scope is sent as 0.
    func decide(index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?) -> TailoredDecision

    /// Index of a name with tailored records of other types, found as `tailoredIndex` is.
    func recordsIndex(of lowercasedWire: UnsafeRawBufferPointer) -> Int?

    /// The records of `type`, or the alias that stands for them, at such a name; `index` is as `recordsIndex` gave it.
    func decideRecords(
        index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?
    ) -> TailoredRecordsDecision
}

extension TailoredResolving {
    /// None: addresses are all that is tailored.
    public func recordsIndex(of lowercasedWire: UnsafeRawBufferPointer) -> Int? { nil }

    public func decideRecords(
        index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?
    ) -> TailoredRecordsDecision { .notTailored }
}
