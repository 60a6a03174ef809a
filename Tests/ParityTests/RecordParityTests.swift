import CFastPathABI
import Fixtures
import Glibc
import IPNetworks
import Resolution
import Testing

/// Tailored records other than addresses, on both paths.
@Suite("Parity of tailored records", .serialized) @MainActor
struct RecordParityTests {
    private let paths: BothPaths

    init() throws {
        try #require(geteuid() == 0, "parity runs the program in the kernel: run as root")
        paths = try BothPaths(settings: BothPaths.settings(requiresCookie: false))
    }

    private func frame(
        _ name: String, _ type: UInt16, from client: IPAddress = .v4(0x1101_0203),
        _ change: (inout QueryBuilder.OPT) -> Void? = { _ in nil }
    ) -> Frame {
        var query = QueryBuilder(name, type: type)
        var opt = QueryBuilder.OPT()
        if change(&opt) != nil { query.opt = opt }
        let service = client.family == .v4 ? SampleModel.service4 : SampleModel.service6
        return Frame(from: client, to: service.address, query.message)
    }

    /// Clients all over the patchwork of places, in no view.
    private static let clients = (0..<60).map { IPAddress.v4(UInt32(18) << 24 + UInt32($0) * 0x5_8357) }

    /// Between calm and storm.
    private func shuffle(_ random: inout Deterministic) {
        let states = [NC_NODE_UP, NC_NODE_UP, NC_NODE_DEGRADED, NC_NODE_DOWN, NC_NODE_UNKNOWN, NC_NODE_DRAINED]
        for slot in 0..<40 {
            let share = Bool.random(using: &random) ? 256 : UInt32.random(in: 0...256, using: &random)
            let ttl = Bool.random(using: &random) ? NC_TTL_STABLE : UInt32.random(in: 0...400, using: &random)
            paths.set(slot, states.randomElement(using: &random) ?? NC_NODE_UP, share: share, ttl: ttl)
        }
    }

    private func setAll(_ state: nc_node_state) { for slot in 0..<40 { paths.set(slot, state) } }

    /// Names and types whose records are made of nodes.
    private static let made: [(String, UInt16)] = [
        ("cdn.example.com", 1), ("cdn.example.com", 28), ("cdn.example.com", 5), ("cdn.example.com", 65),
        ("edges.example.com", 1), ("edges.example.com", 28), ("edges.example.com", 5), ("edges.example.com", 65),
        ("led.example.com", 1), ("led.example.com", 16), ("led.example.com", 43),
        ("_sip._udp.example.com", 33), ("_near._tcp.example.com", 33), ("_pair._tcp.example.com", 33),
        ("_strict._tcp.example.com", 33),
        ("www.example.com", 65),
        ("three.example.com", 65), ("v4only.example.com", 65), ("_dns.example.com", 64),
        ("www.example.com", 16), ("texts.example.com", 16), ("x.texts.example.com", 16),
        ("www.example.com", 15), ("mailed.example.com", 15), ("x.y.mailed.example.com", 15),
    ]

    @Test("geo-steered CNAME, SRV, HTTPS and SVCB records are answered in the program, for every client")
    func made() throws {
        for (name, type) in Self.made {
            for client in Self.clients {
                #expect(try paths.compare(frame(name, type, from: client)), "\(name) \(type)")
                let subnet = frame(name, type, from: .v6(0x2400_8000 << 96 | 1)) { $0.add(subnet: client, length: 24) }
                #expect(try paths.compare(subnet), "\(name) \(type)")
            }
        }
        let counters = try paths.nonzeroCounters()
        #expect(try paths.counter("records") == UInt64(2 * Self.clients.count * Self.made.count), "\(counters)")
        try paths.checkAnswersByNode()
    }

    @Test("with all nodes down they follow the all-down rule")
    func allDown() throws {
        setAll(NC_NODE_DOWN)
        var open: UInt64 = 0
        for (name, type) in Self.made {
            let isOpen = !name.hasPrefix("_strict") && !name.hasPrefix("_sip")
            #expect(try paths.compare(frame(name, type)) == isOpen, "\(name) \(type)")
            if isOpen { open += 1 }
        }
        #expect(try paths.counter("all_down") == open)
        setAll(NC_NODE_UNKNOWN)
        // Of the largest pools, those of the bindings, the lists do not have every node.
        let large = ["www.example.com", "three.example.com", "_dns.example.com"]
        for (name, type) in Self.made {
            let isLarge = large.contains(name) && (type == 64 || type == 65)
            #expect(try paths.compare(frame(name, type)) == !isLarge, "\(name) \(type)")
        }
    }

    @Test("types that such a name does not have are denied in the program too")
    func noData() throws {
        let queries: [(String, UInt16)] = [
            ("_sip._udp.example.com", 1), ("_in._tcp.example.com", 16), ("three.example.com", 16),
            ("_dns.example.com", 28),
            ("v4only.example.com", 28), ("cdn.example.com", 46), ("away.example.com", 47), ("three.example.com", 33),
        ]
        for (name, type) in queries { #expect(try paths.compare(frame(name, type)), "\(name) \(type)") }
        #expect(try paths.counter("records") == 0)
    }

    @Test("nodes without a host name, and hosts that are compressed against each other, are left to user space")
    func left() throws {
        for (node, slot) in (0..<8).map({ ($0, $0 * 7 % 40) }) {
            setAll(NC_NODE_DOWN)
            paths.set(slot, NC_NODE_UP)
            #expect(try paths.compare(frame("away.example.com", 1)) == (node < 7))
        }
        // What is written of a host depends on whose others are there.
        for name in ["_in._tcp.example.com", "_http._tcp.example.com"] { #expect(try !paths.compare(frame(name, 33))) }
    }

    @Test("senders in a view are left to user space if the view has other records")
    func views() throws {
        for type: UInt16 in [1, 5] {
            #expect(try !paths.compare(frame("seen.example.com", type, from: .v4(0x1020_0001))))
            var answered = 0
            for client in Self.clients {
                let isAnswered = try paths.compare(frame("seen.example.com", type, from: client))
                #expect(try paths.compare(frame("away.example.com", type, from: client)) == isAnswered)
                if isAnswered { answered += 1 }
            }
            #expect(answered > 30)
        }
        #expect(try paths.counter("pass_view") == 2)
    }

    @Test("both paths agree on random states of nodes and options of queries", arguments: 1...3)
    func random(seed: Int) throws {
        var random = Deterministic(state: UInt64(seed) &* 0x2e_c0_4d)
        var mixture = QueryMixture(seed: UInt64(seed))
        var (asked, answered) = (0, 0)
        for round in 0..<1500 {
            if round % 30 == 29 { shuffle(&random) }
            if round % 500 == 499 { paths.forget(seconds: [nil, 1, 30].randomElement(using: &random) ?? nil) }
            asked += 1
            if try paths.compare(mixture.recordFrame()) { answered += 1 }
        }
        #expect(answered * 3 > asked, "\(answered) of \(asked)")
        #expect(try paths.counter("records") > 200)
    }

    @Test("random names and hosts are compressed as the resolver does", arguments: 1...3)
    func drawn(seed: Int) throws {
        var random = Deterministic(state: UInt64(seed) &* 0xd4a3)
        let drawn = DrawnRecords(count: 60, &random)
        let paths = try BothPaths(try SampleModel(drawn: drawn))
        var (asked, answered) = (0, 0)
        for round in 0..<1200 {
            if round % 40 == 39 {
                // Some of the first six nodes, sometimes one, sometimes none.
                let usable = Int.random(in: 0..<64, using: &random)
                for node in 0..<6 { paths.set(node * 7 % 40, usable >> node & 1 == 1 ? NC_NODE_UP : NC_NODE_DOWN) }
            }
            let type = [1, 28, 5, 33, 33, 65, 65, 16].randomElement(using: &random) ?? 1
            let frame = frame(drawn.names.randomElement(using: &random) ?? "", UInt16(type)) {
                $0.payload = [512, 1232].randomElement(using: &random) ?? 1232
            }
            asked += 1
            if try paths.compare(frame) { answered += 1 }
        }
        #expect(answered * 2 > asked, "\(answered) of \(asked)")
    }
}
