import CFastPathABI
import DNSWire

/// What the sender's UDP port reveals.
///
/// If two services answer every datagram, one packet with a forged source makes them send to each other forever. A DNS
/// server is such a service for any sender whose bytes parse as a query, because it answers almost everything else with
/// an error.
enum SenderPort {
    /// Whether no reply is ever sent to this port: the reserved port 0, and echo (RFC 862), daytime (867), quote of the
    /// day (865), character generator (864) and time (868), which answer every datagram.
    static func isShunned(_ port: UInt16) -> Bool {
        switch port {
        case 0, 7, 13, 17, 19, 37: true
        default: false
        }
    }

    /// Whether this port gets a reply only to a real query: one question that this server understands. Clients use
    /// higher ports, except for a few resolvers on 53. Servers on the other ports (NTP, TFTP, SNMP, Kerberos) never
    /// send such a query.
    static func isWellKnown(_ port: UInt16) -> Bool { port < UInt16(NC_FIRST_CLIENT_PORT) }
}

extension QueryMessage {
    /// Whether a reply of this verdict means that the message was not a query that the server understands.
    func isNoRealQuery(_ verdict: Verdict) -> Bool {
        switch verdict {
        case .formErr, .notImp, .badVers: true
        default: question == nil
        }
    }
}
