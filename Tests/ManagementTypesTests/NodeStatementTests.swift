import ControlFailures
import ManagementTypes
import Testing

@Suite struct NodeStatementTests {
    @Test("all fields are read, and what is not known is named")
    func all() throws {
        let text = """
            {"load": 0.5, "capacity": 1e3, "connections": 7, "peers": {"ber": 1.5}, "state": "degraded", "share": 64,
             "forSeconds": 30, "reason": "disks", "author": "ann", "authority": "external", "sequence": 18446744073709551615,
             "force": true, "laod": 1, "nested": {"x": [1, 2]}}
            """
        let (statement, ignored) = try NodeStatement.read(Array(text.utf8))
        #expect(
            statement
                == NodeStatement(
                    load: 0.5, capacity: 1_000, connections: 7, peers: ["ber": 1.5], state: .degraded, share: 64,
                    forSeconds: 30, reason: "disks", author: "ann", authority: .external, sequence: .max, force: true))
        #expect(ignored == ["laod", "nested"])
        #expect(try NodeStatement.read(Array("{}".utf8)).statement == NodeStatement())
    }

    @Test(
        "a field that is out of its range is named",
        arguments: [
            (#"{"load": -0.1}"#, "load is out of its range"), (#"{"load": 1e13}"#, "load is out of its range"),
            (#"{"capacity": 0}"#, "capacity is out of its range"),
            (#"{"load": 1e12, "capacity": 1e-300}"#, "capacity is out of its range"),
            (#"{"connections": -1}"#, "connections is out of its range"),
            (#"{"peers": {"ber": 60001}}"#, "peers is out of its range"),
            (#"{"peers": {"": 1}}"#, "peers is out of its range"),
            (#"{"share": 5}"#, "share is out of its range"),
            (#"{"state": "degraded", "share": 257}"#, "share is out of its range"),
            (#"{"forSeconds": 0}"#, "forSeconds is out of its range"),
            (#"{"reason": "a\nb"}"#, "reason is out of its range"),
            (#"{"load": "much"}"#, "load has a value of another type than expected"),
            (#"{"connections": 1.5}"#, "connections: the number is not an integer, or out of range"),
            (#"{"sequence": -1}"#, "sequence: the number is not an integer, or out of range"),
            (#"{"load": 1e999}"#, nil), (#"{"load": NaN}"#, nil),
            (#"{"state": "broken"}"#, nil), (#"{"sequence": 18446744073709551616}"#, nil),
            (#"[1]"#, nil), (#""text""#, nil), ("", nil), ("{}{}", nil), ("{", nil), ("\u{FEFF}nothing", nil),
        ] as [(String, String?)])
    func ranges(text: String, message: String?) {
        let failure = #expect(throws: ControlFailure.self) { try NodeStatement.read(Array(text.utf8)) }
        #expect(failure?.code == .invalid && failure?.remedy != nil)
        if let message { #expect(failure?.message == message) }
    }

    @Test("names that are told back hold nothing that a terminal acts on")
    func unseen() throws {
        let names = #"{"a\u001b[2Jb": 1, "c\u202ed": 1, "e\u007f": 1}"#
        #expect(try NodeStatement.read(Array(names.utf8)).ignored == [#"a\u{1B}[2Jb"#, #"c\u{202E}d"#, #"e\u{7F}"#])
        let failure = #expect(throws: ControlFailure.self) {
            try NodeStatement.read(Array(#"{"peers": {"x\u001b]0;y": "near"}}"#.utf8))
        }
        #expect(failure?.message == #"peers.x\u{1B}]0;y has a value of another type than expected"#)
    }

    @Test("more than 16 KiB are not read, and neither is what is nested beyond reason")
    func large() {
        let long = "{\"reason\": \"\(String(repeating: "x", count: 20_000))\"}"
        #expect(throws: ControlFailure.self) { try NodeStatement.read(Array(long.utf8)) }
        let deep = "{\"x\": \(String(repeating: "[", count: 8_000))\(String(repeating: "]", count: 8_000))}"
        #expect(throws: ControlFailure.self) { try NodeStatement.read(Array(deep.utf8)) }
    }

    @Test("whatever bytes come, a statement is sound or refused")
    func fuzz() {
        var generator = Generator(state: 1)
        let seeds = [
            #"{"load": 0.5, "capacity": 1e3, "connections": 7, "peers": {"ber": 1.5}, "state": "degraded", "share": 64}"#,
            #"{"forSeconds": 30, "reason": "disks", "author": "ann", "sequence": 9, "force": true, "laod": [1, {"a": null}]}"#,
        ].map { Array($0.utf8) }
        var taken = 0
        for round in 0..<20_000 {
            var bytes = seeds[round % 2]
            for _ in 0...(generator.next() % 4) {
                let place = Int(generator.next() % UInt64(bytes.count))
                switch generator.next() % 4 {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: generator.next())
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(Array(#"{}[]",:0123456789eE-+.\un"#.utf8)[Int(generator.next() % 25)], at: place)
                default: bytes.append(contentsOf: bytes[place...].prefix(64))
                }
            }
            guard let (statement, ignored) = try? NodeStatement.read(bytes) else { continue }
            taken += 1
            #expect(statement.load.map { $0.isFinite && $0 >= 0 } ?? true)
            #expect(statement.capacity.map { $0.isFinite && $0 > 0 } ?? true)
            #expect(statement.share.map { (1...256).contains($0) } ?? true)
            #expect(ignored.count <= 16 && ignored.allSatisfy { $0.utf8.count <= 1_024 })
        }
        #expect(taken > 100)
    }

    /// SplitMix64: the same each time.
    private struct Generator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    @Test("verdicts are read whole or not at all")
    func verdicts() throws {
        let text = #"{"verdicts": {"fra": "up", "ber": {"IPv4": "up", "IPv6": "down"}}}"#
        #expect(
            try ObserverVerdicts.read(Array(text.utf8)).verdicts == [
                "fra": .node(.up), "ber": .families(["IPv4": .up, "IPv6": .down]),
            ])
        for wrong in [
            #"{"verdicts": {"fra": "unknown"}}"#, "{}", #"{"verdicts": []}"#, #"{"verdicts": {"fra": {"IPv5": "up"}}}"#,
        ] {
            #expect(throws: ControlFailure.self) { try ObserverVerdicts.read(Array(wrong.utf8)) }
        }
        let many = (0..<4_097).map { "\"n\($0)\": \"up\"" }.joined(separator: ",")
        #expect(throws: ControlFailure.self) { try ObserverVerdicts.read(Array("{\"verdicts\": {\(many)}}".utf8)) }
    }
}
