import Health
import Testing

/// Every sequence of events up to a length, against what the sequence itself says.
@Suite("Every sequence of events") struct NodeHealthModelTests {
    enum Event: CaseIterable {
        case pass, fail, drain, forceUp, forceDown, release, externalDown, externalRelease, idle
    }

    static let (fall, rise) = (2, 2)
    static let rules = HealthRules(checks: [quickCheck(fall: fall, rise: rise)], slowStartMilliseconds: 3_000)

    /// The expected state, computed from the whole sequence.
    struct Expectation {
        var verdict: Bool?
        /// Whether a result contradicts the verdict and nothing has calmed since.
        var isSuspect = false
        var person: HealthState?
        var isDownByOther = false

        init(_ events: [Event]) {
            var results: [Bool] = []
            var (flaps, hasRecovered) = (0, false)
            for event in events {
                switch event {
                case .pass, .fail: results.append(event == .pass)
                case .drain: person = .drained
                case .forceUp: person = .up
                case .forceDown: person = .down
                case .release: person = nil
                case .externalDown: isDownByOther = true
                case .externalRelease: isDownByOther = false
                case .idle: break
                }
                guard let last = results.last, event == .pass || event == .fail else { continue }
                guard let before = verdict else {
                    (verdict, results) = (last, [])
                    continue
                }
                let needed = before ? fall : rise << min(flaps, 3)
                guard results.count >= needed, results.suffix(needed).allSatisfy({ $0 != before }) else { continue }
                if before, hasRecovered { flaps += 1 }
                if !before { hasRecovered = true }
                (verdict, results) = (!before, [])
            }
            // Here `fall` and `rise` are the same: so many in a row calm both verdicts.
            isSuspect =
                verdict.map { current in
                    results.contains { $0 != current } && !results.suffix(fall).allSatisfy { $0 == current }
                        || results.suffix(fall).contains { $0 != current }
                } ?? false
        }

        var state: HealthState {
            if let person { return person }
            if isDownByOther { return .down }
            return verdict.map { $0 ? .up : .down } ?? .unknown
        }

        var authority: Authority { person != nil ? .person : isDownByOther ? .external : .checks }
    }

    @Test("state, authority, share and TTL agree with a model, and each change is reported once")
    func sequences() {
        var visited = 0
        var failures: [String] = []
        func walk(_ node: NodeHealth, _ events: [Event]) {
            guard events.count < 6, failures.count < 5 else { return }
            for event in Event.allCases {
                var next = node
                let now = at(Int64(events.count + 1))
                let transition = apply(event, to: &next, at: now)
                let sequence = events + [event]
                visited += 1
                if let wrong = wrong(next, after: sequence, before: node, transition.first) {
                    failures.append("\(sequence): \(wrong): \(next)")
                }
                walk(next, sequence)
            }
        }
        walk(NodeHealth(Self.rules, at: at(0)), [])
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
        #expect(visited > 500_000)
    }

    private func apply(_ event: Event, to node: inout NodeHealth, at now: Moment) -> [Transition] {
        switch event {
        case .pass, .fail:
            node.take(event == .pass ? .passed : .failed, check: 0, at: now, brake: noBrake, mayFall: true)
        case .drain: node.make(Claim(.person, .drained, author: "ann"), at: now)
        case .forceUp: node.make(Claim(.person, .up, author: "ann"), at: now)
        case .forceDown: node.make(Claim(.person, .down, author: "ann"), at: now)
        case .release: node.withdraw(.person, at: now)
        case .externalDown: node.make(Claim(.external, .down, author: "far"), at: now)
        case .externalRelease: node.withdraw(.external, at: now)
        case .idle: node.advance(to: now, brake: noBrake, mayFall: true)
        }
    }

    private func wrong(
        _ node: NodeHealth, after events: [Event], before: NodeHealth, _ transition: Transition?
    ) -> String? {
        let expected = Expectation(events)
        let condition = node.condition
        if condition.state != expected.state { return "state should be \(expected.state)" }
        if node.authority != expected.authority { return "authority should be \(expected.authority)" }
        if condition.state.isUsable != (condition.share > 0) { return "share of \(condition.share)" }
        if condition.share > HealthState.fullShare { return "share beyond the whole" }
        if expected.authority != .checks, condition.ttl != NodeCondition.stable { return "a claim is stable" }
        if expected.authority == .checks, expected.isSuspect, condition.ttl == NodeCondition.stable {
            return "a change is in sight"
        }
        if expected.authority == .checks, !expected.isSuspect, expected.verdict != nil,
            condition.share == (condition.state == .up ? HealthState.fullShare : 0),
            condition.ttl != NodeCondition.stable
        {
            return "no change is in sight"
        }
        if condition.ttl < 1 { return "a TTL of 0" }
        if (transition != nil) != (before.condition.state != condition.state) { return "a change that is not told" }
        if let transition, transition.from != before.condition.state || transition.to != condition.state {
            return "a change that is told wrongly"
        }
        return nil
    }
}
