import DNSWire
import IPNetworks
import Steering
import Synchronization
package import Zones

/// The resolver, asked for replies that are the same for every client.
///
/// It decides no tailored name, and notices when a reply depends on such a decision. Like `ModelResolver` it is concrete, so
/// that the whole path of an answer is compiled as one: the fast path's plan renders every name of every zone by it.
package struct StaticResolver: Sendable {
    package let model: ServingModel
    private let resolver: Resolver<UndecidedNames>
    private let watch = Watch()

    package init(_ model: ServingModel) {
        self.model = model
        let names = SteeringResolver(model: model, words: NodeWords())
        resolver = Resolver(zones: model.zones, tailored: UndecidedNames(names: names, watch: watch))
    }

    /// Index of a name, in lower case, whose addresses are tailored.
    package func tailoredIndex(of wire: UnsafeRawBufferPointer) -> Int? { resolver.tailored.tailoredIndex(of: wire) }

    /// The tailored records of a name, other than addresses.
    package func records(at name: LookupName) -> TailoredRecords? {
        resolver.tailored.recordsIndex(of: name.suffix(0)).map { model.tailoredRecords[$0] }
    }

    /// Whether anything at a name is tailored.
    package func isTailored(_ name: LookupName) -> Bool { resolver.isTailored(name) }

    /// The reply to a query over UDP; `nil` when it depends on the client.
    ///
    /// - Parameter set: what tailored records are taken to come to, where the reply needs them.
    package func reply(
        to query: [UInt8], deciding set: TailoredRRset? = nil
    ) -> (message: [UInt8], verdict: Verdict)? {
        watch.isMet.store(false, ordering: .relaxed)
        if set != nil { watch.decided.withLock { $0 = set } }
        defer { if set != nil { watch.decided.withLock { $0 = nil } } }
        var message: [UInt8] = []
        let verdict = query.withUnsafeBytes { resolver.respond(to: $0, from: .v4(0), over: .udp, into: &message) }
        return watch.isMet.load(ordering: .relaxed) ? nil : (message, verdict)
    }

    /// The reply by which a zone denies the name of a query directly below its apex. Whether the name exists is not looked up.
    ///
    /// - Parameters:
    ///   - query: has a question and no OPT record.
    ///   - limit: bytes that the reply may have.
    package func denial(by zone: Zone, to query: [UInt8], limit: Int) -> [UInt8] {
        var message: [UInt8] = []
        query.withUnsafeBytes { packet in
            guard let question = QueryMessage(packet) else { return }
            let writer = MessageWriter(taking: &message, limit: limit, replyingTo: question, in: packet, edns: nil)
            var reply = ZoneReply(writer, for: Asker(client: .v4(0), subnet: nil))
            reply.writer.isAuthoritative = true
            _ = LookupName.withScratch { name in
                resolver.answerNoName(zone, Zone.Match(encloser: 0, label: 1, source: nil), name, &reply)
            }
            reply.finish().finish(into: &message)
        }
        return message
    }
}

/// Notices that a reply was made for one client.
private final class Watch: Sendable {
    let isMet = Atomic(false)
    /// What tailored records come to; `nil`: that depends on the client.
    let decided = Mutex<TailoredRRset?>(nil)
}

/// Knows which names are tailored, and decides none of them.
private struct UndecidedNames: TailoredResolving {
    let names: SteeringResolver
    let watch: Watch

    func tailoredIndex(of lowercasedWire: UnsafeRawBufferPointer) -> Int? {
        names.tailoredIndex(of: lowercasedWire)
    }

    func decide(index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?) -> TailoredDecision {
        watch.isMet.store(true, ordering: .relaxed)
        return .noData
    }

    func recordsIndex(of lowercasedWire: UnsafeRawBufferPointer) -> Int? { names.recordsIndex(of: lowercasedWire) }

    func decideRecords(
        index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?
    ) -> TailoredRecordsDecision {
        guard names.model.tailoredRecords[index].decides(type) else { return .notTailored }
        if let set = watch.decided.withLock({ $0 }) { return .records(set) }
        watch.isMet.store(true, ordering: .relaxed)
        return .notTailored
    }
}
