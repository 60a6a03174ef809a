package import DNSWire
package import IPNetworks

/// One question to a recursive server, and what its reply says. Does no input or output.
///
/// An attacker that cannot see the question has to guess its id, its port and the case of each letter
/// (draft-vixie-dnsext-dns0x20). A reply that differs in one of them is ignored.
package struct LookupQuestion: Sendable {
    /// What a received message is to this question.
    package enum Verdict: Hashable, Sendable {
        /// Something else, perhaps a forgery. Waiting goes on.
        case unrelated
        /// Truncated, or the server changed the case of letters. TCP is asked next.
        case needsTCP
        case reply
        /// An error without the question. It may be a forgery: a full reply counts for more.
        case bareError
    }

    package let name: DomainName
    package let family: IPFamily
    /// The message without the length that precedes it over TCP.
    package let message: [UInt8]

    package init(_ host: DomainName, _ family: IPFamily, random: inout some RandomNumberGenerator) {
        let id = UInt16.random(in: .min ... .max, using: &random)
        let type: UInt8 = family == .v4 ? 1 : 28
        // Lengths of labels are below "A" (63 at most), so each byte can be treated alone.
        let wire = host.lowercasedWire.map { byte in
            byte &- 0x61 < 26 && Bool.random(using: &random) ? byte & ~0x20 : byte
        }
        (name, self.family) = (host, family)
        // RFC 1035, section 4.1: one question of class IN, recursion desired.
        message = [UInt8(id >> 8), UInt8(id & 255), 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + wire + [0, type, 0, 1]
    }

    /// What may come without the question.
    private static let bareErrors: Set<ResponseCode> = [.formErr, .servFail, .notImp, .refused]

    /// - Parameter overTCP: whether the message came over a connection. Nobody else can write there, so the case of
    ///   letters is not compared: some servers change it.
    package func verdict(on reply: [UInt8], overTCP: Bool) -> Verdict {
        let (start, end) = (MessageHeader.length, message.count)
        // A server that cannot read the question, or does not want to, may leave it out of its error. It cannot say without
        // it that a name does not exist: such a reply would need no knowledge of the question's case.
        if reply.count >= start, reply[0..<2] == message[0..<2], reply[2] & 0xF8 == 0x80, reply[4..<6] == [0, 0],
            Self.bareErrors.contains(ResponseCode(rawValue: UInt16(reply[3] & 15)))
        {
            return .bareError
        }
        guard reply.count >= end, reply[0..<2] == message[0..<2], reply[2] & 0xF8 == 0x80,
            reply[4..<6] == message[4..<6],
            reply[start..<end].map(DomainName.lowercased) == message[start..<end].map(DomainName.lowercased)
        else { return .unrelated }
        if overTCP { return .reply }
        return reply[start..<end] == message[start..<end] && reply[2] & 2 == 0 ? .reply : .needsTCP
    }
}
