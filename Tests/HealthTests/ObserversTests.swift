import Health
import Testing

@Suite struct ObserversTests {
    private static let nodes = (0..<10).map { Observers.Subject("n\($0)") }

    /// All nodes as said, `-` for down.
    private func view(_ text: String) -> [Observers.Subject: CheckRecord.Verdict] {
        Dictionary(uniqueKeysWithValues: zip(Self.nodes, text).map { ($0, $1 == "-" ? .down : .up) })
    }

    private func observers(_ others: [String] = ["ams", "nyc"]) -> Panel { Panel(others, Self.nodes) }

    /// Observers, for expectations on what changes them.
    private final class Panel {
        var all: Observers

        init(_ others: [String], _ nodes: [Observers.Subject]) {
            all = Observers(others: others, freshness: 30_000)
            for node in nodes { all.assume(.up, of: node) }
        }

        @discardableResult
        func take(_ verdicts: [Observers.Subject: CheckRecord.Verdict], from point: String, at now: Moment) -> Bool {
            all.take(verdicts, from: point, at: now)
        }

        /// As in `n0 down, n3 up`.
        func decide(_ second: Int64) -> String {
            all.decide(at: at(second)).map { "\($0.subject.node) \($0.verdict)" }.joined(separator: ", ")
        }
    }

    @Test("alone, a daemon agrees with itself")
    func alone() {
        let observers = observers([])
        #expect(!observers.all.areSeveral)
        observers.take(view("-+++++++++"), from: Observers.own, at: at(0))
        #expect(observers.decide(0) == "n0 down")
    }

    @Test("one of three observers does not decide, two do")
    func majority() {
        let observers = observers()
        observers.take(view("-+++++++++"), from: Observers.own, at: at(0))
        #expect(observers.decide(0).isEmpty)
        observers.take(view("++++++++++"), from: "ams", at: at(1))
        #expect(observers.decide(1).isEmpty)
        observers.take(view("-+++++++++"), from: "nyc", at: at(2))
        #expect(observers.decide(2) == "n0 down")
        #expect(observers.all.agreed(Self.nodes[0]) == .down && observers.all.agreed(Self.nodes[1]) == .up)
        #expect(observers.decide(3).isEmpty, "reported once")
    }

    @Test("of two observers both must agree, in both directions")
    func two() {
        let observers = observers(["ams"])
        observers.take(view("-+++++++++"), from: Observers.own, at: at(0))
        observers.take(view("++++++++++"), from: "ams", at: at(0))
        #expect(observers.decide(0).isEmpty)
        observers.take(view("-+++++++++"), from: "ams", at: at(1))
        #expect(observers.decide(1) == "n0 down")
        observers.take(view("++++++++++"), from: Observers.own, at: at(2))
        #expect(observers.decide(2).isEmpty)
    }

    @Test("an observer that is cut off does not count, and counts again once it sees nodes")
    func partition() {
        let observers = observers()
        for point in ["ams", "nyc"] { observers.take(view("-+++++++++"), from: point, at: at(0)) }
        observers.take(view("----------"), from: Observers.own, at: at(0))
        #expect(observers.all.cutOff(at: at(0)) == [Observers.own])
        #expect(observers.all.heard(at: at(0)) == ["ams", "nyc"])
        #expect(observers.decide(0) == "n0 down")
        // It sees five of the nine that the others see: enough.
        observers.take(view("++++++----"), from: Observers.own, at: at(1))
        #expect(observers.all.cutOff(at: at(1)).isEmpty)
    }

    @Test("when two of three observers are cut off nothing changes, and this is reported")
    func quorum() {
        let observers = observers()
        for point in ["ams", "nyc", Observers.own] { observers.take(view("++++++++++"), from: point, at: at(0)) }
        #expect(observers.all.hasQuorum(at: at(0)))
        // Two are gone, and the third sees the world end.
        observers.take(view("----------"), from: Observers.own, at: at(31))
        #expect(!observers.all.hasQuorum(at: at(31)))
        #expect(observers.decide(31).isEmpty)
        #expect(Self.nodes.allSatisfy { observers.all.agreed($0) == .up })
    }

    @Test("a failure that all observers see is believed")
    func everybody() {
        let observers = observers()
        for point in ["ams", "nyc", Observers.own] { observers.take(view("----------"), from: point, at: at(0)) }
        #expect(observers.decide(0).contains("n9 down"))
    }

    @Test("a flapping observer moves nothing")
    func flapping() {
        let observers = observers()
        for point in ["ams", "nyc"] { observers.take(view("++++++++++"), from: point, at: at(0)) }
        for second in 0..<20 {
            let text = second % 2 == 0 ? "---+++++++" : "++++++++++"
            observers.take(view(text), from: Observers.own, at: at(Int64(second)))
            #expect(observers.decide(Int64(second)).isEmpty)
        }
    }

    @Test("unknown observers do not count, and the agreed state stays")
    func members() {
        let observers = observers()
        #expect(!observers.take(view("----------"), from: "mallory", at: at(0)))
        for point in ["ams", "nyc"] { observers.take(view("-+++++++++"), from: point, at: at(0)) }
        #expect(observers.decide(0) == "n0 down")
        observers.all.use(others: ["ams"])
        #expect(observers.all.points == [Observers.own, "ams"] && observers.all.agreed(Self.nodes[0]) == .down)
        #expect(observers.all.heard(at: at(0)) == ["ams"])
    }

    /// Every sequence of views of three points on two nodes, and of silence, up to a length.
    @Test("in random sequences a minority never decides, and unanimity always does")
    func model() {
        let words = ["++", "+-", "-+", "--"]
        let points = ["", "a", "b"]
        var visited = 0
        var failures: [String] = []
        func walk(_ before: Observers, _ seen: [String: (String, Int64)], _ now: Int64, _ depth: Int) {
            guard depth < 4, failures.count < 5 else { return }
            for point in points {
                for (word, pause) in words.flatMap({ [($0, Int64(1)), ($0, Int64(20))] }) {
                    let time = now + pause
                    var next = before
                    var views = seen
                    views[point] = (word, time)
                    _ = next.take(view(word), from: point, at: at(time))
                    let changes = next.decide(at: at(time))
                    visited += 1
                    let fresh = views.filter { time - $0.value.1 < 30 }.mapValues { Array($0.0) }
                    for (index, node) in Self.nodes.prefix(2).enumerated() {
                        let (ups, downs) = (
                            fresh.values.count { $0[index] == "+" }, fresh.values.count { $0[index] == "-" }
                        )
                        let change = changes.first { $0.subject == node }?.verdict
                        if change == .up, ups < 2 { failures.append("\(views): up by a minority") }
                        if change == .down, downs < 2 { failures.append("\(views): down by a minority") }
                        if ups == 3, next.agreed(node) != .up, next.cutOff(at: at(time)).isEmpty {
                            failures.append("\(views): all see \(node.node)")
                        }
                        if change == nil, next.agreed(node) != before.agreed(node) { failures.append("not told") }
                    }
                    if Set(fresh.values.map { String($0) }).count == 1, fresh.count == 3 {
                        for (index, node) in Self.nodes.prefix(2).enumerated() {
                            let said: CheckRecord.Verdict = fresh["a"]![index] == "+" ? .up : .down
                            if next.agreed(node) != said { failures.append("\(views): unanimous, not agreed") }
                        }
                    }
                    walk(next, views, time, depth + 1)
                }
            }
        }
        var start = Observers(others: ["a", "b"], freshness: 30_000)
        for node in Self.nodes.prefix(2) { start.assume(.up, of: node) }
        walk(start, [:], 0, 0)
        #expect(failures.isEmpty, "\(failures.prefix(5).joined(separator: "\n"))")
        #expect(visited > 300_000)
    }
}
