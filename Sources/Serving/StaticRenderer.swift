import DNSWire
import IPNetworks
import Steering
import Synchronization

/// Renders the replies that are the same for every client, by the resolver itself.
struct StaticRenderer {
    private static let payloadSize = MessageWriter.ReplyEDNS.payloadSize

    let resolver: Resolver<WatchedNames>
    private let watch = Watch()
    /// Whether the DO bit can change a reply: some record is a signature.
    private let hasSignatures: Bool
    let aliases = AliasCache()

    init(_ model: ServingModel) {
        resolver = Resolver(
            zones: model.zones,
            tailored: WatchedNames(names: SteeringResolver(model: model, words: NodeWords()), watch: watch))
        hasSignatures = model.zones.zones.contains { $0.isSigned || $0.hasSignatures }
    }

    func isTailored(_ name: LookupName) -> Bool { resolver.isTailored(name) }

    /// The records that are tailored at a name, other than addresses.
    func records(at name: LookupName) -> TailoredRecords? {
        resolver.tailored.recordsIndex(of: name.suffix(0)).map { resolver.tailored.names.model.tailoredRecords[$0] }
    }

    /// Whether the addresses of a name are tailored.
    func hasTailoredAddresses(_ wire: [UInt8]) -> Bool {
        wire.withUnsafeBytes { resolver.tailored.tailoredIndex(of: $0) != nil }
    }

    /// The zone that answers for a name.
    func zone(of name: LookupName) -> Zone? { resolver.zones.find(name) }

    /// The reply to a query for `type` at a name in lower case; `nil` when it depends on the client, or is too long.
    func render(_ wire: [UInt8], _ type: RecordType) -> RenderedReply? {
        guard var reply = render(wire, type, dnssecOK: false) else { return nil }
        // Signatures and proofs go to those who set DO, wherever a reply leads to.
        reply.isForUnsigned = hasSignatures && render(wire, type, dnssecOK: true) != reply
        return reply
    }

    /// The same where `set` is what tailored records come to.
    func render(_ wire: [UInt8], _ type: RecordType, deciding set: TailoredRRset) -> RenderedReply? {
        watch.decided.withLock { $0 = set }
        defer { watch.decided.withLock { $0 = nil } }
        return render(wire, type)
    }

    private func render(_ wire: [UInt8], _ type: RecordType, dnssecOK: Bool) -> RenderedReply? {
        guard let (message, verdict) = message(wire, type, dnssecOK: dnssecOK) else { return nil }
        return RenderedReply(message, verdict, nameLength: wire.count)
    }

    /// Whether all names in the reply to a query for `type` at a name in lower case, but for its own, are such.
    func allNames(_ wire: [UInt8], _ type: RecordType, satisfy body: ([UInt8], RecordType?) -> Bool) -> Bool {
        guard let (message, _) = message(wire, type, dnssecOK: false) else { return false }
        let count = [6, 8, 10].reduce(0) { $0 + Int(message[$1]) << 8 + Int(message[$1 + 1]) }
        let start = MessageHeader.length + wire.count + 4
        return ReplyNames.allSatisfy(in: message, from: start, count: count) { $0 == wire || body($0, $1) }
    }

    /// The reply as it is sent; `nil` when it depends on the client.
    private func message(
        _ wire: [UInt8], _ type: RecordType, dnssecOK: Bool
    ) -> (message: [UInt8], verdict: Verdict)? {
        watch.met.store(false, ordering: .relaxed)
        // With OPT, so that nothing is left out for want of room.
        let end: [UInt8] = [UInt8(type.rawValue >> 8), UInt8(type.rawValue & 255), 0, 1]
        let size = [UInt8(Self.payloadSize >> 8), UInt8(Self.payloadSize & 255)]
        let opt: [UInt8] = [0, 0, 41] + size + [0, 0, dnssecOK ? 0x80 : 0, 0, 0, 0]
        let query: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1] + wire + end + opt
        var message: [UInt8] = []
        let verdict = query.withUnsafeBytes { resolver.respond(to: $0, from: .v4(0), over: .udp, into: &message) }
        guard !watch.met.load(ordering: .relaxed), message.count >= MessageHeader.length else { return nil }
        return (message, verdict)
    }

    /// What a zone says of names that do not exist, or have no data of a type.
    ///
    /// - Parameter wire: a name directly below the apex that no name in the reply is, or is below.
    func negative(_ zone: Zone, _ code: ResponseCode, at wire: [UInt8]) -> RenderedReply? {
        let query: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + wire + [0, 1, 0, 1]
        var message: [UInt8] = []
        query.withUnsafeBytes { packet in
            guard let question = QueryMessage(packet) else { return }
            let writer = MessageWriter(
                taking: &message, limit: Int(Self.payloadSize), replyingTo: question, in: packet, edns: nil)
            var reply = ZoneReply(writer, for: Asker(client: .v4(0), subnet: nil))
            reply.writer.isAuthoritative = true
            _ = LookupName.withScratch { name in
                resolver.answerNoName(zone, Zone.Match(encloser: 0, label: 1, source: nil), name, &reply)
            }
            reply.finish().finish(into: &message)
        }
        let verdict = code == .nxDomain ? Verdict.nxDomain : .noData
        guard var reply = RenderedReply(message, verdict, nameLength: wire.count) else { return nil }
        reply.code = code
        reply.isForUnsigned = zone.isSigned || zone.signatures(at: 0, of: .soa) != nil
        return reply
    }
}

/// Notes whether a reply was made for one client.
final class Watch: Sendable {
    let met = Atomic(false)
    /// What tailored records come to; `nil`: that depends on the client.
    let decided = Mutex<TailoredRRset?>(nil)
}

/// Tells which names are tailored, and decides nothing.
struct WatchedNames: TailoredResolving {
    let names: SteeringResolver
    let watch: Watch

    func tailoredIndex(of lowercasedWire: UnsafeRawBufferPointer) -> Int? {
        names.tailoredIndex(of: lowercasedWire)
    }

    func decide(index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?) -> TailoredDecision {
        watch.met.store(true, ordering: .relaxed)
        return .noData
    }

    func recordsIndex(of lowercasedWire: UnsafeRawBufferPointer) -> Int? { names.recordsIndex(of: lowercasedWire) }

    func decideRecords(
        index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?
    ) -> TailoredRecordsDecision {
        guard names.model.tailoredRecords[index].decides(type) else { return .notTailored }
        if let set = watch.decided.withLock({ $0 }) { return .records(set) }
        watch.met.store(true, ordering: .relaxed)
        return .notTailored
    }
}
