import DNSWire

extension Resolver {
    /// The OPT record of the reply to a query with OPT: the options that the query requests and the server supports.
    func replyEDNS(_ edns: EDNS, _ cookie: DNSCookie?, _ transport: Transport) -> MessageWriter.ReplyEDNS {
        var reply = MessageWriter.ReplyEDNS(dnssecOK: edns.dnssecOK, clientSubnet: edns.clientSubnet)
        reply.cookie = cookie
        if edns.asksForNSID { reply.nsid = settings.identity.nsid }
        guard transport != .udp else { return reply }
        if edns.asksForKeepalive { reply.keepalive = settings.keepalive }
        // Padding is useful only on encrypted transports.
        reply.isPadded = transport == .tls && edns.isPadded
        return reply
    }

    /// Handles a query that fails the cookie check or has no question. Returns the verdict that ends it, or `nil` to
    /// continue.
    func cookieRefusal(
        _ query: QueryMessage, _ transport: Transport, _ cookie: CookieKeys.Examination?, _ writer: inout MessageWriter
    ) -> Verdict? {
        guard let keys = settings.cookies, let edns = query.edns else { return nil }
        if edns.hasMalformedCookie { return writer.fail(.formErr, .formErr) }
        guard let cookie, !cookie.isValid else { return query.question == nil ? .cookieSent : nil }
        if query.question == nil {
            // A query for a first cookie is not an error. A query that checks a server cookie gets BADCOOKIE if that is
            // invalid (RFC 7873, section 5.4).
            return edns.cookie?.hasServer == true ? writer.fail(.badCookie, .badCookie) : .cookieSent
        }
        guard keys.isRequired, transport == .udp else { return nil }
        return writer.fail(.badCookie, .badCookie)
    }
}
