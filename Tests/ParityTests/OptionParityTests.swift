import BPFRuntime
import CFastPathABI
import FastPathDriver
import FastPathPlan
import Fixtures
import Glibc
import IPNetworks
import Resolution
import Testing

/// Options of OPT and the shapes of replies, on both paths.
@Suite("Parity of options", .serialized) @MainActor
struct OptionParityTests {
    init() throws {
        try #require(geteuid() == 0, "parity runs the program in the kernel: run as root")
    }

    private static let clients: [IPAddress] = [.v4(0x1001_0203), .v6(UInt128(0x2400) << 112 | 0x1234_5678_9abc)]

    private func frame(
        _ name: String = "www.example.com", type: UInt16 = 1, from client: IPAddress = clients[0],
        opt: QueryBuilder.OPT?
    ) -> Frame {
        var query = QueryBuilder(name, type: type)
        query.opt = opt
        let service = client.family == .v4 ? SampleModel.service4 : SampleModel.service6
        return Frame(from: client, to: service.address, query.message)
    }

    /// An option alone, behind a client subnet, and before one.
    private func places(_ code: UInt16, _ data: [UInt8]) -> [QueryBuilder.OPT] {
        (0..<3).map { place in
            var opt = QueryBuilder.OPT()
            if place == 1 { opt.add(subnet: .v4(0x1203_0400), length: 24) }
            opt.add(code, data)
            if place == 2 { opt.add(subnet: .v6(UInt128(0x2400_0000_1200) << 80), length: 77) }
            return opt
        }
    }

    private func ask(_ paths: BothPaths, _ frame: Frame) -> (verdict: Verdict, reply: [UInt8]) {
        var reply: [UInt8] = []
        let verdict = frame.message.withUnsafeBytes {
            paths.resolver.respond(to: $0, from: frame.source, over: .udp, at: BothPaths.second, into: &reply)
        }
        return (verdict, reply)
    }

    @Test(
        "malformed options are left to user space, alone and with a client subnet",
        arguments: QueryMixture.declinedOptions)
    func declinedOptions(code: UInt16, data: [UInt8]) throws {
        let paths = try BothPaths()
        for opt in places(code, data) { #expect(try !paths.compare(frame(opt: opt))) }
        #expect(try paths.counter("pass_edns") == 3)
    }

    @Test(
        "queries with any other option are answered, alone and with a client subnet",
        arguments: QueryMixture.answeredOptions)
    func answeredOptions(code: UInt16, data: [UInt8]) throws {
        let paths = try BothPaths()
        for client in Self.clients {
            for opt in places(code, data) { #expect(try paths.compare(frame(from: client, opt: opt))) }
        }
        #expect(
            try paths.counter("bad_cookie") == (code == 10 ? 6 : 0), "cookies are required, and these are not valid")
    }

    @Test("options in any order are answered in the resolver's order", arguments: 0..<6)
    func order(permutation: Int) throws {
        let paths = try BothPaths(settings: BothPaths.settings(requiresCookie: false))
        for client in Self.clients {
            var options: [(UInt16, [UInt8])] = [
                (3, []), (10, TestCookie.whole(Array(1...8), for: client, at: BothPaths.second - 5)),
                (8, [0, 1, 24, 0, 18, 3, 4]),
            ]
            options.swapAt(0, permutation % 3)
            if permutation >= 3 { options.swapAt(1, 2) }
            var opt = QueryBuilder.OPT()
            opt.flags = 0x8000
            for (code, data) in options { opt.add(code, data) }
            #expect(try paths.compare(frame(from: client, opt: opt)))
            let reply = ask(paths, frame(from: client, opt: opt)).reply
            // Subnet of 11 bytes, identifier of 8, the cookie last.
            #expect(Array(reply.suffix(24)) == options.first { $0.0 == 10 }?.1)
            #expect(Array(reply.suffix(28 + 8).prefix(8)) == [0, 3, 0, 4] + Array("fra1".utf8))
        }
    }

    @Test("more options than the program reads, and two subnets, are left to user space")
    func tooMany() throws {
        let paths = try BothPaths()
        for count in [8, 9] {
            var opt = QueryBuilder.OPT()
            for _ in 0..<count { opt.add(65_001, []) }
            #expect(try paths.compare(frame(opt: opt)) == (count == 8))
        }
        var opt = QueryBuilder.OPT()
        for _ in 0..<2 { opt.add(subnet: .v4(0x1203_0400), length: 24) }
        #expect(try !paths.compare(frame(opt: opt)))
    }

    @Test(
        "a cookie is valid by age and secret, and renewed if it is old or has an old secret",
        arguments: [0, 1799, 1800, 3600, 3601, -300, -301], [false, true])
    func cookies(age: Int, required: Bool) throws {
        let paths = try BothPaths(settings: BothPaths.settings(requiresCookie: required))
        var refused: UInt64 = 0
        for client in Self.clients {
            for (index, secret) in TestCookie.secrets.enumerated() {
                let cookie = TestCookie.whole(
                    Array(11...18), for: client, at: UInt32(Int(BothPaths.second) - age), by: secret)
                var opt = QueryBuilder.OPT()
                opt.add(10, cookie)
                let query = frame(from: client, opt: opt)
                #expect(try paths.compare(query))
                let (verdict, reply) = ask(paths, query)
                let isValid = (-300...3600).contains(age)
                #expect(verdict == (required && !isValid ? .badCookie : .answeredTailored))
                if verdict == .badCookie { refused += 1 }
                // Kept or renewed.
                let isKept = isValid && index == 0 && age < 1800
                #expect((Array(reply.suffix(24)) == cookie) == (isKept || (age == 0 && index == 0)))
                #expect(
                    isKept
                        || Array(reply.suffix(24))
                            == TestCookie.whole(Array(11...18), for: client, at: BothPaths.second)
                )
            }
        }
        #expect(try paths.counter("bad_cookie") == refused)
    }

    @Test("the program has the clock of the host")
    func clock() throws {
        let paths = try BothPaths(settings: BothPaths.settings(requiresCookie: false))
        paths.maps.setClock()
        var opt = QueryBuilder.OPT()
        opt.add(10, Array(1...8))
        let before = UInt32(truncatingIfNeeded: time(nil))
        let run = try paths.maps.program.testRun(packet: frame(opt: opt).bytes)
        let reply = try #require(Frame(bytes: run.packet)).message
        let stamp = reply.suffix(12).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        // A tick behind, at most.
        #expect((before - 1...UInt32(truncatingIfNeeded: time(nil))).contains(stamp))
    }

    @Test("BADCOOKIE is sent before the name is looked up, with every other option and in the query's case")
    func badCookie() throws {
        let paths = try BothPaths()
        for name in ["WWW.Example.COM", "nowhere.test", "odd.nowhere.test", SampleModel.guardedName] {
            for type: UInt16 in [1, 28] {
                for opt in places(10, Array(1...24)) {
                    var opt = opt
                    opt.add(3, [])
                    #expect(try paths.compare(frame(name, type: type, opt: opt)))
                    #expect(ask(paths, frame(name, type: type, opt: opt)).verdict == .badCookie)
                }
            }
        }
    }

    @Test("with a feature switched off, queries that need it are left to user space, and others are not")
    func switches() throws {
        var switches = FastPathSwitches()
        switches.answersCookies = false
        switches.answersIdentifier = false
        switches.answersTagged = false
        let paths = try BothPaths(switches: switches)
        for code: UInt16 in [3, 10] {
            for opt in places(code, Array(1...8)) { #expect(try !paths.compare(frame(opt: opt))) }
        }
        var tagged = frame(opt: nil)
        #expect(try paths.compare(tagged))
        tagged.tags = [0x81, 0, 0, 5]
        #expect(try !paths.compare(tagged))
    }

    @Test("a server without cookies and identifier ignores those options")
    func unknown() throws {
        let paths = try BothPaths(settings: ProtocolSettings())
        for code: UInt16 in [3, 10] {
            for length in [1, 8, 24] {
                for opt in places(code, Array(repeating: 7, count: length)) {
                    #expect(try paths.compare(frame(opt: opt)))
                }
            }
        }
    }

    @Test("NSID values of every length are sent", arguments: [1, 2, 3, 4, 5, 6, 7, 8, 60, 127, 128])
    func identifiers(length: Int) throws {
        let paths = try BothPaths(
            settings: BothPaths.settings(nsid: (0..<length).map { UInt8($0) }, requiresCookie: false))
        for client in Self.clients {
            for subnet in [0, 7, 24, 32] {
                var opt = QueryBuilder.OPT()
                opt.add(3, [])
                opt.add(subnet: .v4(0x1203_0405), length: subnet)
                #expect(try paths.compare(frame(from: client, opt: opt)))
                opt.add(10, Array(1...8))
                #expect(try paths.compare(frame("all.example.com", type: 28, from: client, opt: opt)))
            }
        }
    }

    @Test(
        "a reply longer than the client's limit is truncated, with its scope and all options",
        arguments: [0, 511, 512, 513, 600, 1232, 4096])
    func truncation(payload: UInt16) throws {
        let model = { try SampleModel(longName: true) }
        let settings = BothPaths.settings(nsid: Array(repeating: 0x41, count: 128), requiresCookie: false)
        let paths = try BothPaths(try model(), settings: settings)
        var cut: UInt64 = 0
        for client in Self.clients {
            for isAsked in [false, true] {
                var opt = QueryBuilder.OPT()
                opt.payload = payload
                if isAsked { opt.add(3, []) }
                opt.add(subnet: .v6(UInt128(0x2400_0000_1200) << 80), length: 128)
                opt.add(10, Array(1...8))
                let query = frame(SampleModel.longName, type: 28, from: client, opt: opt)
                #expect(try paths.compare(query))
                if ask(paths, query).verdict == .truncated { cut += 1 }
            }
        }
        #expect(cut == (payload < 550 ? 2 : 0))
        #expect(try paths.counter("truncated") == cut)
    }

    @Test(
        "names outside the zones are refused with an extended error, after every other option",
        arguments: ["nowhere", "x.b.nowhere", "other.org", "com", ""])
    func refusals(name: String) throws {
        let paths = try BothPaths(settings: BothPaths.settings(requiresCookie: false))
        for client in Self.clients {
            for type: UInt16 in [1, 28, 16] {
                for (code, data) in [(65_001, []), (3, []), (10, Array(1...8)), (10, Array(1...24))]
                    as [(UInt16, [UInt8])]
                {
                    for opt in places(code, data) + [QueryBuilder.OPT()] {
                        let query = frame(name, type: type, from: client, opt: opt)
                        #expect(try paths.compare(query))
                        let (verdict, reply) = ask(paths, query)
                        #expect(verdict == .refused)
                        #expect(reply.suffix(6) == [0, 15, 0, 2, 0, 20], "Not Authoritative (RFC 8914, section 4.21)")
                    }
                }
                // The root's query without OPT is shorter than what the program reads at once.
                #expect(try paths.compare(frame(name, type: type, from: client, opt: nil)) == !name.isEmpty)
            }
        }
    }

    @Test(
        "long answers of zones are truncated if nothing fits, and left to user space if a part fits",
        arguments: [512, 600, 672, 682, 683, 700, 1232] as [UInt16])
    func staticTruncation(payload: UInt16) throws {
        let paths = try BothPaths(settings: BothPaths.settings(requiresCookie: false))
        let names: [(String, UInt16)] = [
            ("huge.many.test", 1), ("vast.many.test", 1), ("x.flood.many.test", 1), ("y.x.flood.many.test", 1),
            ("first.many.test", 1), ("gone.many.test", 1), ("hosts.many.test", 15),
            ("long.many.test", 1), ("cut.many.test", 1),
        ]
        var answered: Set<String> = []
        for client in Self.clients {
            for (name, type) in names {
                var opt = QueryBuilder.OPT()
                opt.payload = payload
                for opt in [nil, opt, places(8, [0, 1, 24, 0, 18, 3, 4])[0]] {
                    let query = frame(name, type: type, from: client, opt: opt)
                    let isAnswered = try paths.compare(query)
                    let reply = ask(paths, query).reply
                    let (isCut, count) = (reply[2] & 2 != 0, reply[6..<8].reduce(0) { $0 << 8 | Int($1) })
                    if isCut, count == 0 { #expect(isAnswered, "\(name) \(payload)") }
                    if isCut, count > 0 { #expect(!isAnswered, "\(name) \(payload)") }
                    if isAnswered { answered.insert(name) }
                }
            }
        }
        // Without OPT all of them are truncated, and those that are too long for any client always are.
        #expect(answered.isSuperset(of: ["huge.many.test", "vast.many.test", "x.flood.many.test", "hosts.many.test"]))
        #expect(try paths.counter("truncated") > 0)
    }

    @Test("with truncation switched off, such queries are left to user space")
    func withoutTruncation() throws {
        var switches = FastPathSwitches()
        switches.cutsReplies = false
        let settings = BothPaths.settings(nsid: Array(repeating: 0x41, count: 128), requiresCookie: false)
        let paths = try BothPaths(try SampleModel(longName: true), settings: settings, switches: switches)
        var opt = QueryBuilder.OPT()
        opt.payload = 512
        opt.add(3, [])
        #expect(try paths.compare(frame(SampleModel.longName, type: 1, opt: opt)))
        opt.add(10, Array(1...8))
        #expect(try !paths.compare(frame(SampleModel.longName, type: 28, opt: opt)))
        #expect(try !paths.compare(frame("huge.many.test", opt: nil)))
        #expect(try paths.counter("pass_length") == 2)
    }

    @Test(
        "tagged frames are answered with the tags they came with",
        arguments: [[0x81, 0, 0x20, 5], [0x88, 0xa8, 0, 7, 0x81, 0, 0xe0, 9], [0x81, 0, 0, 0]] as [[UInt8]])
    func tags(tags: [UInt8]) throws {
        let paths = try BothPaths()
        for client in Self.clients {
            for name in SampleModel.names {
                for type: UInt16 in name == "v4only.example.com" ? [1] : [1, 28] {
                    var opt = QueryBuilder.OPT()
                    opt.add(subnet: .v4(0x1203_0400), length: 24)
                    var frame = frame(name, type: type, from: client, opt: opt)
                    frame.tags = tags
                    #expect(try paths.compare(frame))
                }
            }
        }
    }

    @Test("three tags, and tags around other protocols, are passed up")
    func foreignTags() throws {
        let paths = try BothPaths()
        var frame = frame(opt: nil)
        frame.tags = [0x88, 0xa8, 0, 7, 0x81, 0, 0, 9, 0x81, 0, 0, 9]
        #expect(try !paths.compare(frame))
        frame.tags = [0x91, 0, 0, 7]
        #expect(try !paths.compare(frame))
        #expect(try paths.counter("pass_datagram") == 1 && paths.counter("pass_other") == 1)
    }
}
