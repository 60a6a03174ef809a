import CFastPathABI
public import DNSWire
public import IPNetworks
public import Steering
import Zones

/// Decides tailored names by a model's steering tables and the current node words.
public struct SteeringResolver: TailoredResolving {
    public let model: ServingModel
    public let words: NodeWords
    /// Maximum TTL of addresses in seconds. In a process that receives no node states, it is that of the program's
    /// watchdog.
    public let ttlLimit: UInt32

    public init(model: ServingModel, words: NodeWords, ttlLimit: UInt32 = .max) {
        self.model = model
        self.words = words
        self.ttlLimit = ttlLimit
    }

    public func tailoredIndex(of lowercasedWire: UnsafeRawBufferPointer) -> Int? {
        model.index.addresses(of: lowercasedWire)
    }

    public func recordsIndex(of lowercasedWire: UnsafeRawBufferPointer, type: RecordType?) -> Int? {
        model.index.records(of: lowercasedWire) { index in
            type.map { model.tailoredRecords[index].decides($0) } ?? true
        }
    }

    public var hasWildcards: Bool { model.index.hasWildcards }

    /// What is tailored at a name, by an entry of its own or by the wildcard that covers it; `nil` for nothing.
    ///
    /// - Parameter type: the type of records other than addresses; `nil`: any.
    public func match(_ name: DomainName, _ type: RecordType? = nil) -> TailoredMatch? {
        LookupName.withScratch { scratch in
            name.wire.withUnsafeBytes { scratch.load($0) }
            let match = TailoredMatch(
                addresses: tailoredIndex(of: scratch.suffix(0)),
                records: recordsIndex(of: scratch.suffix(0), type: type))
            return match.isEmpty ? wildcard(for: scratch, type, in: model.zones) : match
        }
    }

    public func decide(
        index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?, nameHash: UInt64?
    ) -> TailoredDecision {
        let family: IPFamily = type == .a ? .v4 : .v6
        guard
            let decision = model.decide(
                index, family: family, client: client, subnet: subnet, nameHash: nameHash, words: words)
        else { return .noData }
        guard !decision.addresses.isEmpty else { return .refused }
        return .answer(
            TailoredAnswer(
                addresses: decision.addresses, ttl: min(decision.selection.ttl, ttlLimit), scope: decision.replyScope,
                node: decision.selection.slots.first))
    }
}

/// The resolver of a server. It is concrete, so that the whole path of an answer is specialised.
public struct ModelResolver: Sendable {
    public let model: ServingModel
    private let resolver: Resolver<SteeringResolver>

    /// - Parameter ttlLimit: maximum TTL of tailored addresses, in seconds.
    public init(
        model: ServingModel, words: NodeWords, settings: ProtocolSettings = ProtocolSettings(), ttlLimit: UInt32 = .max
    ) {
        self.model = model
        var settings = settings
        settings.identity = settings.identity.serving(model)
        resolver = Resolver(
            zones: model.zones, tailored: SteeringResolver(model: model, words: words, ttlLimit: ttlLimit),
            settings: settings)
    }

    /// Answers one packet; see `Resolver.respond`.
    public func respond(
        to packet: UnsafeRawBufferPointer, from client: IPAddress, port: UInt16 = .max,
        over transport: QueryTransport, at second: UInt32 = 0, into reply: inout [UInt8]
    ) -> Verdict {
        resolver.respond(to: packet, from: client, port: port, over: transport, at: second, into: &reply)
    }

    /// The same, and says to which node the reply leads.
    package func respond(
        to packet: UnsafeRawBufferPointer, from client: IPAddress, port: UInt16, over transport: QueryTransport,
        at second: UInt32, into reply: inout [UInt8], leadingTo node: inout Int?
    ) -> Verdict {
        resolver.respond(
            to: packet, from: client, port: port, over: transport, at: second, into: &reply, leadingTo: &node)
    }

    /// The protocol options in use.
    public var settings: ProtocolSettings { resolver.settings }

    /// The resolver of tailored names.
    public var steering: SteeringResolver { resolver.tailored }

    /// Index of a tailored name.
    public func tailoredIndex(of name: DomainName) -> Int? {
        name.lowercasedWire.withUnsafeBytes { resolver.tailored.tailoredIndex(of: $0) }
    }
}
