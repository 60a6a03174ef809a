import CFastPathABI
import Fixtures
import Glibc
import IPNetworks
import Testing

/// Names that a tailored wildcard covers, on both paths.
@Suite("Parity of tailored wildcards", .serialized) @MainActor
struct WildcardParityTests {
    private let paths: BothPaths

    init() throws {
        try #require(geteuid() == 0, "parity runs the program in the kernel: run as root")
        paths = try BothPaths(settings: BothPaths.settings(requiresCookie: false))
    }

    private func frame(_ name: String, _ type: UInt16, from client: IPAddress, subnet: IPAddress? = nil) -> Frame {
        var query = QueryBuilder(name, type: type)
        if let subnet {
            query.opt = QueryBuilder.OPT()
            query.opt?.add(subnet: subnet, length: 24)
        }
        let service = client.family == .v4 ? SampleModel.service4 : SampleModel.service6
        return Frame(from: client, to: service.address, query.message)
    }

    /// Clients all over the patchwork of places, in no view.
    private static let clients = (0..<40).map { IPAddress.v4(UInt32(18) << 24 + UInt32($0) * 0x5_8357) }

    /// Names and types that the program makes from nodes.
    private static let made: [(String, UInt16)] = [
        ("x.app.example.com", 1), ("x.app.example.com", 28), ("x.app.example.com", 65), ("a.b.app.example.com", 1),
        ("*.app.example.com", 1), (SampleModel.longest(below: "app.example.com"), 28), ("x.viewed.example.com", 1),
        ("x.cdn2.example.com", 1), ("x.y.cdn2.example.com", 5), ("x.cdn2.example.com", 16), ("x.in.example.com", 1),
        ("a.b.c.d.e.f.g.h.i.in.example.com", 28), ("x.in.example.com", 5), ("x.policy.example.com", 1),
        ("x.policy.example.com", 28), ("x.v4.example.com", 1),
    ]

    @Test("addresses, aliases and service bindings of covered names are answered in the program, for every client")
    func made() throws {
        for (name, type) in Self.made {
            for client in Self.clients {
                #expect(try paths.compare(frame(name, type, from: client)), "\(name) \(type)")
                let subnet = frame(name, type, from: .v6(0x2400_8000 << 96 | 1), subnet: client)
                #expect(try paths.compare(subnet), "\(name) \(type)")
            }
        }
    }

    @Test("names that block the wildcard, and types that it lacks, are answered from the zone in the program")
    func blocked() throws {
        for name in [
            "taken.app.example.com", "x.taken.app.example.com", "ent.app.example.com", "x.ent.app.example.com",
            "app.example.com", "deep.ent.app.example.com", "to-app.example.com",
        ] {
            for type: UInt16 in [1, 28, 16] {
                let frame = frame(name, type, from: .v4(0x1201_0203))
                #expect(try paths.compare(frame), "\(name) \(type)")
            }
        }
        for (name, type): (String, UInt16) in [
            ("x.app.example.com", 16), ("x.app.example.com", 15), ("x.v4.example.com", 28), ("x.svc.example.com", 1),
        ] {
            #expect(try paths.compare(frame(name, type, from: .v4(0x1201_0203))), "\(name) \(type)")
        }
        #expect(try paths.counter("static") > 20)
    }

    @Test("SRV sets of covered names, and senders in a view with other addresses, are left to user space")
    func left() throws {
        #expect(try !paths.compare(frame("x.svc.example.com", 33, from: .v4(0x1201_0203))))
        let inView = IPAddress.v4(0x1020_0001)
        #expect(try !paths.compare(frame("x.viewed.example.com", 1, from: inView)))
        #expect(try paths.counter("pass_view") == 1)
        #expect(try paths.compare(frame("x.app.example.com", 1, from: inView)))
    }

    @Test("with all nodes down the all-down rule of the wildcard applies")
    func allDown() throws {
        for slot in 0..<40 { paths.set(slot, NC_NODE_DOWN) }
        #expect(try paths.compare(frame("x.app.example.com", 1, from: .v4(0x1201_0203))))
        #expect(try paths.compare(frame("x.cdn2.example.com", 1, from: .v4(0x1201_0203))))
        #expect(try paths.counter("all_down") == 2)
        #expect(try !paths.compare(frame("x.policy.example.com", 1, from: .v4(0x1201_0203))))
    }
}
