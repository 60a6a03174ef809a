import DNSWire
import IPNetworks
import Steering
import Synchronization
package import Zones

/// The resolver for replies that are the same for every client.
///
/// It does not decide tailored names, and detects when a reply depends on such a decision. It is concrete, like
/// `ModelResolver`, so that the whole path of an answer is specialised: the fast path's plan renders every name of
/// every zone with it.
package struct StaticResolver: Sendable {
    package let model: ServingModel
    private let resolver: Resolver<UndecidedNames>
    private let watch = Watch()

    package init(_ model: ServingModel) {
        self.model = model
        let names = SteeringResolver(model: model, words: NodeWords())
        resolver = Resolver(zones: model.zones, tailored: UndecidedNames(names: names, watch: watch))
    }

    /// Index of a name, given in lower case, whose addresses are tailored.
    package func tailoredIndex(of wire: UnsafeRawBufferPointer) -> Int? { resolver.tailored.tailoredIndex(of: wire) }

    /// The tailored addresses of a name.
    package func addresses(at name: LookupName) -> TailoredName? {
        tailoredIndex(of: name.suffix(0)).map { model.tailored[$0] }
    }

    /// The tailored records of a name, other than addresses.
    package func records(at name: LookupName) -> [TailoredRecords] {
        model.index.allRecords(of: name.suffix(0)).map { model.tailoredRecords[$0] }
    }

    /// Whether any record at a name is tailored.
    package func isTailored(_ name: LookupName) -> Bool { resolver.isTailored(name) }

    /// The reply to a query over UDP; `nil` if it depends on the client.
    ///
    /// - Parameter set: the result to assume for tailored records that the reply needs.
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

    /// The negative reply of a zone to a query for a name directly below its apex. It does not check whether the name
    /// exists.
    ///
    /// - Parameters:
    ///   - query: has a question and no OPT record.
    ///   - limit: maximum length of the reply in bytes.
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

/// Detects that a reply depends on the client.
private final class Watch: Sendable {
    let isMet = Atomic(false)
    /// The assumed result for tailored records; `nil`: the result depends on the client.
    let decided = Mutex<TailoredRRset?>(nil)
}

/// Knows which names are tailored, but decides none of them.
private struct UndecidedNames: TailoredResolving {
    let names: SteeringResolver
    let watch: Watch

    func tailoredIndex(of lowercasedWire: UnsafeRawBufferPointer) -> Int? {
        names.tailoredIndex(of: lowercasedWire)
    }

    var hasWildcards: Bool { names.hasWildcards }

    func decide(
        index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?, nameHash: UInt64?
    ) -> TailoredDecision {
        watch.isMet.store(true, ordering: .relaxed)
        return .noData
    }

    func recordsIndex(of lowercasedWire: UnsafeRawBufferPointer, type: RecordType?) -> Int? {
        names.recordsIndex(of: lowercasedWire, type: type)
    }

    func decideRecords(
        index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?, nameHash: UInt64?
    ) -> TailoredRecordsDecision {
        guard names.model.tailoredRecords[index].decides(type) else { return .notTailored }
        if let set = watch.decided.withLock({ $0 }) { return .records(set) }
        watch.isMet.store(true, ordering: .relaxed)
        return .notTailored
    }
}
