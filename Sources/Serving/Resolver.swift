import DNSWire
public import IPNetworks

/// The definition of the right answer: a pure function from a packet and its sender to a reply.
///
/// Tailored names are decided by `Tailored`, all others by the zones. Nothing is read but the arguments and the tables, and
/// nothing is allocated for common answers when the caller reuses its reply buffer.
public struct Resolver<Tailored: TailoredResolving>: Sendable {
    public enum Transport: Sendable { case udp, tcp }

    public let zones: ZoneSet
    public let tailored: Tailored

    public init(zones: ZoneSet, tailored: Tailored) {
        self.zones = zones
        self.tailored = tailored
    }

    /// Answers one packet.
    ///
    /// - Parameters:
    ///   - packet: The DNS message, without TCP's length.
    ///   - client: The sender's address.
    ///   - transport: Decides the size limit: over UDP 512 bytes without EDNS, and with it what the sender takes, up to
    ///     1,232 (RFC 9715); over TCP 65,535.
    ///   - reply: Replaced by the reply; empty when nothing is to be sent. Keep it from call to call.
    /// - Returns: The verdict; `.dropped` when `reply` is empty, which is so only for responses and for packets shorter than a
    ///   header (RFC 8906: no query is ignored).
    public func respond(
        to packet: UnsafeRawBufferPointer, from client: IPAddress, over transport: Transport, into reply: inout [UInt8]
    ) -> Verdict {
        guard let query = QueryMessage(packet), !query.header.isResponse else {
            reply.removeAll(keepingCapacity: true)
            return .dropped
        }
        let edns = query.edns.map {
            MessageWriter.ReplyEDNS(dnssecOK: $0.dnssecOK, clientSubnet: $0.clientSubnet)
        }
        var writer = MessageWriter(
            taking: &reply, limit: Self.limit(query, transport), replyingTo: query, in: packet, edns: edns)
        let verdict = answer(query, packet, client, transport, &writer)
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
        _ writer: inout MessageWriter
    ) -> Verdict {
        guard query.header.opcode == .query else { return writer.fail(.notImp, .notImp) }
        guard !query.formatError, let question = query.question else { return writer.fail(.formErr, .formErr) }
        if let edns = query.edns, edns.version != 0 { return writer.fail(.badVers, .badVers) }
        guard question.recordClass == .in else { return writer.fail(.refused, .refused) }
        if let refusal = Self.metaRefusal(question.type, transport) {
            return writer.fail(refusal.code, refusal.verdict)
        }
        let original = UnsafeRawBufferPointer(rebasing: packet[question.nameRange])
        return LookupName.withScratch { name in
            name.load(original)
            if question.type == .a || question.type == .aaaa,
                let index = tailored.tailoredIndex(of: name.suffix(0)),
                let verdict = answerTailored(index, question.type, query.edns?.clientSubnet, client, &writer)
            {
                return verdict
            }
            return answerFromZones(&name, original, question.type, &writer)
        }
    }

    /// Query and meta types that are not served here: as NSD does, MAILA, MAILB and AXFR over UDP are not implemented, and
    /// other transfers are refused.
    private static func metaRefusal(
        _ type: RecordType, _ transport: Transport
    ) -> (code: ResponseCode, verdict: Verdict)? {
        guard type.isMeta, type != .any else { return nil }
        let isTransfer = type == .ixfr || type == .axfr && transport == .tcp
        return isTransfer ? (.refused, .refused) : (.notImp, .notImp)
    }

    /// Answers from the tailored tables; `nil` where the zone has to say that there is no data.
    private func answerTailored(
        _ index: Int, _ type: RecordType, _ subnet: ClientSubnet?, _ client: IPAddress, _ writer: inout MessageWriter
    ) -> Verdict? {
        // Source length 0: the sender wants its own address to decide, and the answer kept for all (RFC 7871, 7.1.2).
        let subnet = subnet.flatMap { $0.sourceLength == 0 ? nil : $0 }
        switch tailored.decide(index: index, type: type, client: client, subnet: subnet) {
        case .noData: return nil
        case .refused: return writer.fail(.refused, .refused)
        case .answer(let answer):
            guard !answer.addresses.isEmpty else { return nil }
            writer.isAuthoritative = true
            if subnet != nil { writer.edns?.clientSubnet?.scopeLength = answer.scope }
            guard writer.appendAddresses(.question, answer.addresses, ttl: answer.ttl, to: .answer) else {
                return writer.truncate()
            }
            return .answeredTailored
        }
    }
}

extension MessageWriter {
    /// Ends with an error: no records, not authoritative.
    mutating func fail(_ code: ResponseCode, _ verdict: Verdict) -> Verdict {
        responseCode = code
        isAuthoritative = false
        return verdict
    }

    /// Ends with TC: the client asks again over TCP (RFC 2181, section 9).
    mutating func truncate() -> Verdict {
        isTruncated = true
        return .truncated
    }
}
