import DNSWire
public import IPNetworks
public import Zones

/// The transport of a query and its reply.
public enum QueryTransport: Hashable, Sendable {
    case udp
    case tcp
    /// TCP with encryption, so that padding is useful.
    case tls
}

/// The definition of the right answer: a pure function from a packet and its sender to a reply.
///
/// `Tailored` decides tailored names; the zones answer all others. The function reads only its arguments and its
/// tables. It does not allocate for common answers if the caller reuses its reply buffer. The only state is the buckets
/// of a rate limit, if the settings have one.
public struct Resolver<Tailored: TailoredResolving>: Sendable {
    public typealias Transport = QueryTransport

    public let zones: ZoneSet
    public let tailored: Tailored
    public let settings: ProtocolSettings

    public init(zones: ZoneSet, tailored: Tailored, settings: ProtocolSettings = ProtocolSettings()) {
        self.zones = zones
        self.tailored = tailored
        self.settings = settings
    }

    /// Answers one packet.
    ///
    /// - Parameters:
    ///   - packet: The DNS message, without the length prefix of TCP.
    ///   - client: The sender's address.
    ///   - port: The sender's port, which matters over UDP only. The default is an ordinary client port.
    ///   - transport: Decides the size limit. Over UDP it is 512 bytes without EDNS; with EDNS, the sender's payload
    ///     size up to 1,232 (RFC 9715). Over TCP it is 65,535.
    ///   - second: Seconds since 1970, modulo 2^32, for cookies and rate limits. Ignored if neither is configured.
    ///   - reply: Replaced by the reply, or emptied if nothing is to be sent. Reuse it across calls.
    /// - Returns: The verdict. `reply` is empty for `.dropped` (only for responses and for packets shorter than a
    ///   header, because RFC 8906 requires a reply to every query), for `.rateDropped`, and for `.servicePort`.
    public func respond(
        to packet: UnsafeRawBufferPointer, from client: IPAddress, port: UInt16 = .max, over transport: Transport,
        at second: UInt32 = 0, into reply: inout [UInt8]
    ) -> Verdict {
        var node: Int?
        return respond(
            to: packet, from: client, port: port, over: transport, at: second, into: &reply, leadingTo: &node)
    }

    /// The same, and says to which node the reply leads.
    ///
    /// - Parameter node: Becomes the slot of the node that the first record leads to, if nodes decided the reply and it is
    ///   sent whole. Otherwise it becomes `nil`.
    package func respond(
        to packet: UnsafeRawBufferPointer, from client: IPAddress, port: UInt16, over transport: Transport,
        at second: UInt32, into reply: inout [UInt8], leadingTo node: inout Int?
    ) -> Verdict {
        node = nil
        guard let query = QueryMessage(packet), !query.header.isResponse else {
            reply.removeAll(keepingCapacity: true)
            return .dropped
        }
        if transport == .udp, SenderPort.isShunned(port) {
            reply.removeAll(keepingCapacity: true)
            return .servicePort
        }
        let cookie = query.edns?.cookie.flatMap { settings.cookies?.examine($0, from: client, at: second) }
        var writer = MessageWriter(
            taking: &reply, limit: Self.limit(query, transport), replyingTo: query, in: packet,
            edns: query.edns.map { replyEDNS($0, cookie?.reply, transport) })
        var verdict = answer(query, packet, client, transport, cookie, &writer, &node)
        if verdict == .truncated { node = nil }
        if transport == .udp, SenderPort.isWellKnown(port), query.isNoRealQuery(verdict) {
            node = nil
            writer.discard(into: &reply)
            return .servicePort
        }
        if let limit = settings.rateLimit, transport == .udp, cookie?.isValid != true {
            switch limit.decide(client, verdict, at: second) {
            case .send: break
            case .slip:
                writer.cutToQuestion()
                node = nil
                verdict = .rateSlipped
            case .drop:
                node = nil
                writer.discard(into: &reply)
                return .rateDropped
            }
        }
        writer.finish(into: &reply)
        return verdict
    }

    private static func limit(_ query: QueryMessage, _ transport: Transport) -> Int {
        guard transport == .udp else { return 65_535 }
        guard let edns = query.edns else { return 512 }
        return Int(min(max(edns.payloadSize, 512), MessageWriter.ReplyEDNS.payloadSize))
    }

    private func answer(
        _ query: QueryMessage, _ packet: UnsafeRawBufferPointer, _ client: IPAddress, _ transport: Transport,
        _ cookie: CookieKeys.Examination?, _ writer: inout MessageWriter, _ node: inout Int?
    ) -> Verdict {
        guard query.header.opcode == .query else { return writer.fail(.notImp, .notImp, because: .notSupported) }
        guard !query.formatError else { return writer.fail(.formErr, .formErr) }
        if let edns = query.edns, edns.version != 0 { return writer.fail(.badVers, .badVers) }
        if let refusal = cookieRefusal(query, transport, cookie, &writer) { return refusal }
        guard let question = query.question else { return writer.fail(.formErr, .formErr) }
        switch question.recordClass {
        case .in, .any: break
        case .ch: return answerChaos(question, packet, &writer)
        default: return writer.fail(.refused, .refused, because: .notSupported)
        }
        if let refusal = Self.metaRefusal(question.type, transport) {
            return writer.fail(refusal.code, refusal.verdict, because: refusal.reason)
        }
        let original = UnsafeRawBufferPointer(rebasing: packet[question.nameRange])
        let verdict = LookupName.withScratch { name in
            name.load(original)
            return answer(&name, original, question.type, query.edns?.clientSubnet, client, &writer, &node)
        }
        // No server knows whether data of other classes exist (RFC 1035, section 6.2).
        if question.recordClass == .any { writer.isAuthoritative = false }
        return verdict
    }

    /// Answers `name`, the lower-case form of `original`, in class IN.
    private func answer(
        _ name: inout LookupName, _ original: UnsafeRawBufferPointer, _ type: RecordType, _ subnet: ClientSubnet?,
        _ client: IPAddress, _ writer: inout MessageWriter, _ node: inout Int?
    ) -> Verdict {
        if zones.hasAccessLists, !admits(client, name, type) {
            return writer.fail(.refused, .refused, because: .prohibited)
        }
        let asker = Asker(client: client, subnet: subnet)
        if let verdict = answerTailored(&name, type, asker, &writer, &node) { return verdict }
        return answerFromZones(&name, original, type, asker, &writer)
    }

    /// QTYPEs and meta types that are not served. As in NSD: NOTIMP for MAILA, MAILB and AXFR over UDP, REFUSED for
    /// other zone transfers.
    private static func metaRefusal(
        _ type: RecordType, _ transport: Transport
    ) -> (code: ResponseCode, verdict: Verdict, reason: ExtendedError)? {
        guard type.isMeta, type != .any else { return nil }
        let isTransfer = type == .ixfr || type == .axfr && transport != .udp
        return isTransfer ? (.refused, .refused, .prohibited) : (.notImp, .notImp, .notSupported)
    }
}

extension MessageWriter {
    /// Ends the reply with an error: no records, not authoritative. Clients that use EDNS also get the reason.
    mutating func fail(_ code: ResponseCode, _ verdict: Verdict, because reason: ExtendedError? = nil) -> Verdict {
        responseCode = code
        isAuthoritative = false
        edns?.extendedError = reason
        return verdict
    }

    /// Ends the reply with TC, so that the client retries over TCP (RFC 2181, section 9).
    mutating func truncate() -> Verdict {
        isTruncated = true
        return .truncated
    }
}
