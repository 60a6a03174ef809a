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

/// What decides tailored names.
public protocol TailoredResolving: Sendable {
    /// Index of a tailored name, by exact match on the lower-cased wire name with the root's byte; else `nil`.
    func tailoredIndex(of lowercasedWire: UnsafeRawBufferPointer) -> Int?

    /// The answer at a tailored name.
    ///
    /// - Parameters:
    ///   - index: As `tailoredIndex` gave it.
    ///   - type: A or AAAA; other types never exist at a tailored name by its own data.
    ///   - client: The sender's address.
    ///   - subnet: The client subnet of the query, as sent; `nil` when there is none or its source length is 0: then the
    ///     sender's address decides, and the scope is sent as 0.
    func decide(index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?) -> TailoredDecision
}
