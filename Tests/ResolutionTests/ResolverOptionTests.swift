import DNSWire
import IPNetworks
import Resolution
import Testing

@Suite("Server identity and extended errors")
struct ResolverOptionTests {
    private static let identity = ServerIdentity(nsid: Array("fra1".utf8), hostname: "fra1.example", version: "9.9")

    private func server(_ identity: ServerIdentity = Self.identity, keepalive: UInt16? = 100) throws -> TestServer {
        try TestServer(settings: ProtocolSettings(identity: identity, keepalive: keepalive))
    }

    @Test("NSID is sent if requested and configured, also with errors, and its content in the query is ignored")
    func nsid() throws {
        let server = try server()
        for (name, option) in [("static", "0003 0000"), ("www", "0003 0002 abcd"), ("missing", "0003 0000")] {
            let reply = server.reply(to: Query(name: "\(name).example.com").with(options: hex(option)).bytes)
            #expect(reply.option(3) == Array("fra1".utf8) && reply.options.count == 1)
        }
        let refused = server.reply(to: Query(name: "example.org").with(options: hex("0003 0000")).bytes)
        #expect(refused.code == 5 && refused.option(3) == Array("fra1".utf8))
        #expect(server.reply(to: Query(name: "static.example.com").with().bytes).opt?.data == [])
        let silent = try TestServer().reply(to: Query(name: "static.example.com").with(options: hex("0003 0000")).bytes)
        #expect(silent.code == 0 && silent.opt?.data == [])
    }

    @Test(
        "class CH answers version and host name as TXT with TTL 0, in any case of the name",
        arguments: [
            ("version.bind", "9.9"), ("VERSION.server", "9.9"), ("hostname.bind", "fra1.example"),
            ("id.server", "fra1.example"),
        ])
    func chaos(name: String, text: String) throws {
        for type in [RecordType.txt, .any] {
            let reply = try server().reply(to: Query(name: name, type: type, recordClass: .ch).bytes)
            #expect(reply.code == 0 && reply.answer.map(\.data) == [txt(text)])
            #expect(reply.answer.first?.ttl == 0 && reply.answer.first?.type == .txt && !reply.isAuthoritative)
            #expect(reply.bytes.suffix(txt(text).count + 10).prefix(4) == hex("0010 0003")[...])
        }
    }

    @Test("class CH refuses other names and types, and values that are not configured")
    func chaosRefused() throws {
        let server = try server()
        for (name, type) in [("authors.bind", RecordType.txt), ("bind", .txt), ("version.bind", .a), (".", .ns)] {
            #expect(server.reply(to: Query(name: name, type: type, recordClass: .ch).bytes).code == 5)
        }
        let mute = try self.server(ServerIdentity(hostname: "x"))
        #expect(mute.reply(to: Query(name: "version.bind", type: .txt, recordClass: .ch).bytes).code == 5)
        #expect(mute.reply(to: Query(name: "id.server", type: .txt, recordClass: .ch).bytes).code == 0)
    }

    @Test(
        "with EDNS errors have an extended error (RFC 8914)",
        arguments: [
            ("www.example.org", .a, .in, 0, 20), ("version.bind", .txt, .ch, 0, 20), ("example.com", .ixfr, .in, 0, 18),
            ("example.com", .maila, .in, 0, 21), ("example.com", .a, .hs, 0, 21), ("example.com", .a, .in, 0x2800, 21),
        ] as [(String, RecordType, RecordClass, UInt16, UInt16)])
    func extendedErrors(name: String, type: RecordType, recordClass: RecordClass, flags: UInt16, reason: UInt16) throws
    {
        var query = Query(flags: flags, name: name, type: type, recordClass: recordClass)
        let plain = try TestServer().reply(to: query.bytes)
        #expect(plain.opt == nil && plain.code > 3)
        query = query.with()
        let reply = try TestServer().reply(to: query.bytes)
        #expect(reply.code == plain.code && reply.option(15) == reason.networkBytes)
    }

    @Test("answers, negative answers and format errors carry no extended error")
    func noExtendedError() throws {
        let server = try TestServer()
        for name in ["static.example.com", "missing.example.com", "www.example.com", "alias.example.com"] {
            #expect(server.reply(to: Query(name: name).with().bytes).options.isEmpty)
        }
        #expect(server.reply(to: Query(name: "static.example.com").with().bytes + [0]).options.isEmpty)
    }

    @Test("keepalive is sent on request over TCP and TLS, never over UDP (RFC 7828)")
    func keepalive() throws {
        let asking = Query(name: "static.example.com").with(options: hex("000b 0000")).bytes
        #expect(try server().reply(to: asking, over: .tcp).option(11) == [0, 100])
        #expect(try server().reply(to: asking, over: .tls).option(11) == [0, 100])
        #expect(try server().reply(to: asking, over: .udp).options.isEmpty)
        #expect(try server(keepalive: nil).reply(to: asking, over: .tcp).options.isEmpty)
        #expect(try server().reply(to: Query(name: "static.example.com").with().bytes, over: .tcp).options.isEmpty)
    }

    @Test(
        "padded queries over TLS get replies of whole blocks of 468 bytes (RFC 8467)",
        arguments: ["static.example.com", "missing.example.com", "many.big.test", "example.org", "x.deleg.big.test"])
    func padding(name: String) throws {
        let padded = Query(name: name).with(options: hex("0003 0000 000c 0003 000000")).bytes
        let reply = try server().reply(to: padded, over: .tls)
        #expect(reply.bytes.count % 468 == 0)
        #expect(reply.option(12)?.allSatisfy { $0 == 0 } == true && reply.options.last?.code == 12)
        let bare = try server().reply(to: padded, over: .tcp)
        #expect(bare.option(12) == nil && bare.answer.count == reply.answer.count)
        #expect(reply.bytes.count - bare.bytes.count < 4 + 468)
        #expect(try server().reply(to: Query(name: name).with().bytes, over: .tls).option(12) == nil)
    }

    @Test("options reduce the room for records, and the limit stays")
    func room() throws {
        let identity = ServerIdentity(nsid: Array(repeating: 7, count: 128))
        let server = try server(identity)
        for count in 1...80 {
            let resolver = Resolver(
                zones: server.resolver.zones, tailored: CountedTailored(count: count),
                settings: server.resolver.settings)
            let packet = Query(name: "www.example.com").with(payload: 700, options: hex("0003 0000")).bytes
            var reply: [UInt8] = []
            _ = packet.withUnsafeBytes { resolver.respond(to: $0, from: .v4(1), over: .udp, into: &reply) }
            #expect(reply.count <= 700 && Reply(reply, .dropped).option(3)?.count == 128)
        }
    }

    @Test(
        "errors are no larger than the query, except for options that the server adds",
        arguments: ["", "0003 0000", "0008 0007 0001 18 00 c63364", "000a 0008 0102030405060708"])
    func noAmplification(option: String) throws {
        let keys = CookieKeys(secrets: [CookieSecret(Array(repeating: 1, count: 16))!], isRequired: true)
        let server = try TestServer(settings: ProtocolSettings(cookies: keys))
        // An extended error, and a server cookie where there is a client's.
        let added = 6 + (option.hasPrefix("000a") ? 16 : 0)
        let long = String(repeating: "a", count: 60) + "." + String(repeating: "b", count: 60) + ".example.org"
        for name in ["example.org", ".", long] {
            for (type, recordClass) in [
                (RecordType.a, RecordClass.in), (.any, .in), (.axfr, .in), (.txt, .ch), (.a, .hs),
            ] {
                for flags: UInt16 in [0, 0x2800] {
                    let plain = Query(flags: flags, name: name, type: type, recordClass: recordClass)
                    let query = plain.with(options: hex(option))
                    let replies = [
                        (server.reply(to: plain.bytes), plain.bytes.count),
                        (server.reply(to: query.bytes), query.bytes.count + added),
                        (server.reply(to: query.bytes + [0]), query.bytes.count + 1 + added),
                    ]
                    for (reply, limit) in replies {
                        #expect(reply.code != 0 && reply.bytes.count <= limit)
                        #expect(reply.answer.isEmpty && reply.authority.isEmpty && reply.additional.isEmpty)
                    }
                }
            }
        }
    }
}

/// Answers every A query with a number of addresses.
private struct CountedTailored: TailoredResolving {
    var count: Int
    func tailoredIndex(of lowercasedWire: UnsafeRawBufferPointer) -> Int? { 0 }
    func decide(
        index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?, nameHash: UInt64?
    ) -> TailoredDecision {
        .answer(TailoredAnswer(addresses: (0..<UInt32(count)).map { .v4($0) }, ttl: 1, scope: 0))
    }
}
