import DNSWire

extension Resolver {
    /// The OPT record of the reply to a query with OPT: it has the options that the query asks for and the server knows.
    func replyEDNS(_ edns: EDNS, _ cookie: DNSCookie?, _ transport: Transport) -> MessageWriter.ReplyEDNS {
        var reply = MessageWriter.ReplyEDNS(dnssecOK: edns.dnssecOK, clientSubnet: edns.clientSubnet)
        reply.cookie = cookie
        if edns.asksForNSID { reply.nsid = settings.identity.nsid }
        guard transport != .udp else { return reply }
        if edns.asksForKeepalive { reply.keepalive = settings.keepalive }
        // In the clear there is no length to hide.
        reply.isPadded = transport == .tls && edns.isPadded
        return reply
    }

    /// What a query gets for its cookie, or for its lack of a question, instead of an answer; `nil` to go on.
    func cookieRefusal(
        _ query: QueryMessage, _ transport: Transport, _ cookie: CookieKeys.Examination?, _ writer: inout MessageWriter
    ) -> Verdict? {
        guard let keys = settings.cookies, let edns = query.edns else { return nil }
        if edns.hasMalformedCookie { return writer.fail(.formErr, .formErr) }
        guard let cookie, !cookie.isValid else { return query.question == nil ? .cookieSent : nil }
        if query.question == nil {
            // Asking for a first cookie is no error; asking whether a cookie holds gets the truth (RFC 7873, section 5.4).
            return edns.cookie?.hasServer == true ? writer.fail(.badCookie, .badCookie) : .cookieSent
        }
        guard keys.isRequired, transport == .udp else { return nil }
        return writer.fail(.badCookie, .badCookie)
    }
}
