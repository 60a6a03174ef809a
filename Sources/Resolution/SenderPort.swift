import CFastPathABI
import DNSWire

/// What the sender's UDP port says about it.
///
/// One packet with a forged sender makes two services talk to each other for ever when each answers whatever it gets. A
/// DNS server is such a service to those that send bytes which read as a query; an error is its answer to nearly all.
enum SenderPort {
    /// Whether no reply goes there, whatever was asked: port 0, which is nobody's, and echo (RFC 862), daytime (867), quote of
    /// the day (865), character generator (864) and time (868), which answer every datagram.
    static func isShunned(_ port: UInt16) -> Bool {
        switch port {
        case 0, 7, 13, 17, 19, 37: true
        default: false
        }
    }

    /// Whether only a real query is answered: one question that this server understands. Clients send from higher ports, but
    /// for a few resolvers that use 53; other servers of these ports (NTP, TFTP, SNMP, Kerberos) never send such a query.
    static func isWellKnown(_ port: UInt16) -> Bool { port < UInt16(NC_FIRST_CLIENT_PORT) }
}

extension QueryMessage {
    /// Whether a reply of this verdict says that the message was no query that the server understands.
    func isNoRealQuery(_ verdict: Verdict) -> Bool {
        switch verdict {
        case .formErr, .notImp, .badVers: true
        default: question == nil
        }
    }
}
