import DNSWire
import IPNetworks
import Serving
import Testing

private func networks(_ text: String) -> [IPPrefix] { text.split(separator: " ").compactMap { IPPrefix($0) } }

@Suite("Access lists")
struct AccessListTests {
    @Test(
        "the most specific network that holds the sender decides",
        arguments: [
            ("", "", "192.0.2.1", true), ("192.0.2.0/24", "", "192.0.2.1", true),
            ("192.0.2.0/24", "", "192.0.3.0", false), ("192.0.2.0/24", "", "192.0.1.255", false),
            ("192.0.2.0/24", "", "2001:db8::1", false), ("", "192.0.2.0/24", "192.0.2.255", false),
            ("", "192.0.2.0/24", "192.0.3.0", true), ("", "192.0.2.0/24", "2001:db8::1", true),
            ("192.0.2.128/25", "192.0.2.0/24", "192.0.2.128", true),
            ("192.0.2.128/25", "192.0.2.0/24", "192.0.2.127", false),
            ("192.0.2.0/24", "192.0.2.128/25", "192.0.2.200", false),
            ("192.0.2.0/24", "192.0.2.0/24", "192.0.2.1", false),
            ("0.0.0.0/0 192.0.2.1/32", "192.0.2.0/24", "192.0.2.1", true),
            ("0.0.0.0/0 192.0.2.1/32", "192.0.2.0/24", "192.0.2.2", false),
            ("0.0.0.0/0", "255.255.255.255/32", "255.255.255.255", false),
            ("2001:db8::/32", "2001:db8:1::/48", "2001:db8:1::9", false),
            ("2001:db8::/32", "2001:db8:1::/48", "2001:db8:2::", true), ("::/0", "", "192.0.2.1", false),
        ])
    func decisions(allow: String, deny: String, sender: String, isAdmitted: Bool) {
        #expect(AccessList(allow: networks(allow), deny: networks(deny)).admits(address(sender)) == isAdmitted)
    }

    @Test("any list of networks decides as a search of all of them does", arguments: 1...20)
    func randomLists(seed: UInt64) {
        var state = seed &* 0x9e37_79b9_7f4a_7c15
        func next(_ below: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % below
        }
        func prefix() -> IPPrefix {
            IPPrefix(
                address: .v4(UInt32(next(64)) << 26 | UInt32(next(16))), length: [0, 2, 4, 6, 28, 30, 32][Int(next(7))])
        }
        let allow = (0..<Int(next(6))).map { _ in prefix() }
        let deny = (0..<Int(next(6))).map { _ in prefix() }
        let list = AccessList(allow: allow, deny: deny)
        for _ in 0..<500 {
            let sender = IPAddress.v4(UInt32(next(64)) << 26 | UInt32(next(20)))
            let longest = { (networks: [IPPrefix]) in networks.filter { $0.contains(sender) }.map(\.length).max() }
            let expected: Bool =
                switch (longest(allow), longest(deny)) {
                case (nil, nil): allow.isEmpty
                case (_?, nil): true
                case (nil, _?): false
                case (let allowed?, let denied?): allowed > denied
                }
            #expect(list.admits(sender) == expected, "\(sender) allow \(allow) deny \(deny)")
        }
    }

    private func server() throws -> TestServer {
        try TestServer(access: [
            name("example.com"): AccessList(allow: networks("192.0.2.0/24"), deny: []),
            name("example.net"): AccessList(allow: [], deny: networks("198.51.100.0/24")),
        ])
    }

    @Test(
        "a zone with a list refuses others, whatever they ask for",
        arguments: ["static", "missing", "www", "alias", "x.child", "v4only"])
    func refused(host: String) throws {
        let query = Query(name: "\(host).example.com").with()
        let refused = try server().reply(to: query.bytes, from: "203.0.113.9")
        #expect(refused.verdict == .refused && refused.code == 5 && refused.option(15) == [0, 18])
        #expect(refused.bytes.count == query.bytes.count + 6)
        #expect(try server().reply(to: query.bytes, from: "192.0.2.7").verdict != .refused)
    }

    @Test("only the sender's address counts: a client subnet opens nothing")
    func subnet() throws {
        let forged = Query(name: "www.example.com").from("192.0.2.0/24").bytes
        #expect(try server().reply(to: forged, from: "203.0.113.9").verdict == .refused)
        #expect(try server().reply(to: forged, from: "192.0.2.7").verdict == .answeredTailored)
    }

    @Test("a zone without a list, also one below a zone with a list, answers everybody")
    func open() throws {
        #expect(try server().reply(to: Query(name: "x.sub.example.com").bytes).verdict == .answeredStatic)
        #expect(try server().reply(to: Query(name: "many.big.test").bytes, over: .tcp).verdict == .answeredStatic)
        // The parent zone answers for the DS of the child.
        #expect(try server().reply(to: Query(name: "sub.example.com", type: .ds).bytes).verdict == .refused)
    }

    @Test("an alias does not lead into another zone that has a list")
    func alias() throws {
        let reply = try server().reply(to: Query(name: "toother.example.com").bytes, from: "192.0.2.7")
        #expect(reply.answer.map(\.type) == [.cname])
        #expect(try TestServer().ask("toother.example.com").answer.map(\.type) == [.cname, .a])
        let inside = try server().reply(to: Query(name: "alias.example.com").bytes, from: "192.0.2.7")
        #expect(inside.answer.count == 3)
    }
}
