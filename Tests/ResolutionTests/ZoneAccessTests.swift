import DNSWire
import IPNetworks
import Resolution
import Testing
import Zones

private func networks(_ text: String) -> [IPPrefix] { text.split(separator: " ").compactMap { IPPrefix($0) } }

@Suite("Zones with access lists")
struct ZoneAccessTests {
    private func server() throws -> TestServer {
        try TestServer(access: [
            name("example.com"): AccessList(allow: networks("192.0.2.0/24"), deny: []),
            name("example.net"): AccessList(allow: [], deny: networks("198.51.100.0/24")),
        ])
    }

    @Test(
        "a zone with a list refuses all queries of other senders",
        arguments: ["static", "missing", "www", "alias", "x.child", "v4only"])
    func refused(host: String) throws {
        let query = Query(name: "\(host).example.com").with()
        let refused = try server().reply(to: query.bytes, from: "203.0.113.9")
        #expect(refused.verdict == .refused && refused.code == 5 && refused.option(15) == [0, 18])
        #expect(refused.bytes.count == query.bytes.count + 6)
        #expect(try server().reply(to: query.bytes, from: "192.0.2.7").verdict != .refused)
    }

    @Test("only the sender's address counts, not the client subnet")
    func subnet() throws {
        let forged = Query(name: "www.example.com").from("192.0.2.0/24").bytes
        #expect(try server().reply(to: forged, from: "203.0.113.9").verdict == .refused)
        #expect(try server().reply(to: forged, from: "192.0.2.7").verdict == .answeredTailored)
    }

    @Test("a zone without a list answers every sender, also below a zone with a list")
    func open() throws {
        #expect(try server().reply(to: Query(name: "x.sub.example.com").bytes).verdict == .answeredStatic)
        #expect(try server().reply(to: Query(name: "many.big.test").bytes, over: .tcp).verdict == .answeredStatic)
        // The parent zone answers for the DS of the child.
        #expect(try server().reply(to: Query(name: "sub.example.com", type: .ds).bytes).verdict == .refused)
    }

    @Test("an alias is not followed into another zone with a list")
    func alias() throws {
        let reply = try server().reply(to: Query(name: "toother.example.com").bytes, from: "192.0.2.7")
        #expect(reply.answer.map(\.type) == [.cname])
        #expect(try TestServer().ask("toother.example.com").answer.map(\.type) == [.cname, .a])
        let inside = try server().reply(to: Query(name: "alias.example.com").bytes, from: "192.0.2.7")
        #expect(inside.answer.count == 3)
    }
}
