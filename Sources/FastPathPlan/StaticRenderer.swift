import DNSWire
import Resolution
import Zones

/// Renders static replies with the resolver itself.
struct StaticRenderer {
    private static let payloadSize = MessageWriter.ReplyEDNS.payloadSize

    let resolver: StaticResolver
    /// Whether the DO bit can change a reply, because some record is a signature.
    private let hasSignatures: Bool
    let aliases = AliasCache()

    init(_ model: ServingModel) {
        resolver = StaticResolver(model)
        hasSignatures = model.zones.zones.contains { $0.isSigned || $0.hasSignatures }
    }

    func isTailored(_ name: LookupName) -> Bool { resolver.isTailored(name) }

    /// The tailored addresses of a name.
    func addresses(at name: LookupName) -> TailoredName? { resolver.addresses(at: name) }

    /// The tailored records of a name, other than addresses.
    func records(at name: LookupName) -> [TailoredRecords] { resolver.records(at: name) }

    /// Whether a name has tailored addresses.
    func hasTailoredAddresses(_ wire: [UInt8]) -> Bool {
        wire.withUnsafeBytes { resolver.tailoredIndex(of: $0) != nil }
    }

    /// The zone that is responsible for a name.
    func zone(of name: LookupName) -> Zone? { resolver.model.zones.find(name) }

    /// The reply to a query for `type` at a name (in lower case); `nil` if it depends on the client or is too long.
    ///
    /// - Parameter set: the result to assume for tailored records.
    func render(_ wire: [UInt8], _ type: RecordType, deciding set: TailoredRRset? = nil) -> RenderedReply? {
        guard var reply = render(wire, type, deciding: set, dnssecOK: false) else { return nil }
        // Clients that set DO get signatures and proofs, also from zones that an alias leads to.
        reply.isForUnsigned = hasSignatures && render(wire, type, deciding: set, dnssecOK: true) != reply
        return reply
    }

    private func render(
        _ wire: [UInt8], _ type: RecordType, deciding set: TailoredRRset?, dnssecOK: Bool
    ) -> RenderedReply? {
        let query = Self.query(wire, type, dnssecOK: dnssecOK)
        guard let (message, verdict) = resolver.reply(to: query, deciding: set) else { return nil }
        return RenderedReply(message, verdict, nameLength: wire.count)
    }

    /// Whether all names in the reply to a query for `type` at a name (in lower case), except the name itself, satisfy
    /// `body`.
    ///
    /// - Parameter set: the result to assume for tailored records.
    func allNames(
        _ wire: [UInt8], _ type: RecordType, deciding set: TailoredRRset? = nil,
        satisfy body: ([UInt8], RecordType?) -> Bool
    ) -> Bool {
        let query = Self.query(wire, type, dnssecOK: false)
        guard let message = resolver.reply(to: query, deciding: set)?.message, message.count >= MessageHeader.length
        else {
            return false
        }
        let count = [6, 8, 10].reduce(0) { $0 + Int(message[$1]) << 8 + Int(message[$1 + 1]) }
        let start = MessageHeader.length + wire.count + 4
        return ReplyNames.allSatisfy(in: message, from: start, count: count) { $0 == wire || body($0, $1) }
    }

    /// A query with OPT, so that nothing is left out for lack of room.
    private static func query(_ wire: [UInt8], _ type: RecordType, dnssecOK: Bool) -> [UInt8] {
        let end: [UInt8] = [UInt8(type.rawValue >> 8), UInt8(type.rawValue & 255), 0, 1]
        let size = [UInt8(payloadSize >> 8), UInt8(payloadSize & 255)]
        let opt: [UInt8] = [0, 0, 41] + size + [0, 0, dnssecOK ? 0x80 : 0, 0, 0, 0]
        return [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1] + wire + end + opt
    }

    /// The reply of a zone for names that do not exist, or have no data of a type.
    ///
    /// - Parameter wire: a name directly below the apex. No name in the reply may be equal to it or below it.
    func negative(_ zone: Zone, _ code: ResponseCode, at wire: [UInt8]) -> RenderedReply? {
        let query: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + wire + [0, 1, 0, 1]
        let message = resolver.denial(by: zone, to: query, limit: Int(Self.payloadSize))
        let verdict = code == .nxDomain ? Verdict.nxDomain : .noData
        guard var reply = RenderedReply(message, verdict, nameLength: wire.count) else { return nil }
        reply.code = code
        reply.isForUnsigned = zone.isSigned || zone.signatures(at: 0, of: .soa) != nil
        return reply
    }
}
