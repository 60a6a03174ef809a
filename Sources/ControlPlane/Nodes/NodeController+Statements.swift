package import ControlFailures
package import Health
import HealthChecks

/// What nodes and agents report.
extension NodeController {
    /// Takes a statement that is sound in itself.
    ///
    /// A node that is configured to report has a result by it: `down` is a failure, all else a success. Less than that it
    /// may say of itself too (`degraded`, `drained`); more, its checks do not let it.
    ///
    /// - Parameter speaker: whose pace of changes is limited; `nil`: nobody's.
    package func take(
        _ statement: NodeStatementInput, of id: String, as authority: Authority, by author: String,
        paced speaker: String?
    ) throws(ControlFailure) -> StatementOutcome {
        guard let speaker else { return try take(statement, of: id, as: authority, by: author) }
        let now = Moment.now
        if let wait = statements.pace.wait(for: speaker, changing: id, at: now) {
            throw ControlFailure(
                .tooMany, "this token has changed node \(id) too often", remedy: "try again in \(wait / 1_000 + 1) s")
        }
        let before = transitionCount
        defer { statements.pace.count(transitionCount - before, by: speaker, changing: id, at: now) }
        return try take(statement, of: id, as: authority, by: author)
    }

    private func take(
        _ statement: NodeStatementInput, of id: String, as authority: Authority, by author: String
    ) throws(ControlFailure) -> StatementOutcome {
        try life.requireNodeChanges()
        guard entries[id] != nil else { throw Self.unknown(id) }
        let now = Moment.now
        let check = authority == .report ? statements.heartbeats.check(of: id) : nil
        statements = try counted(statement, of: id, as: authority, check, at: now)
        var refusal: ControlFailure?
        if let claim = Self.claim(statement, authority, check, author, at: now) {
            do throws(Fleet.LastOfPools) {
                let isForced = authority > .report && statement.force
                if let effect = try fleet.make(claim, of: id, force: isForced, at: now) { apply([effect]) }
            } catch {
                refusal = ControlFailure(
                    .conflict, "node \(id) is the last usable node of \(error.named)",
                    remedy: "bring another node up first")
            }
        } else if statement.state != nil || authority == .report {
            apply(fleet.withdraw(authority, of: id, at: now).map { [$0] } ?? [])
        }
        // Also of what cannot be granted it is heard that the node lives.
        keepMetrics(statement, of: id, at: now)
        if let check { hear(id, check, statement, at: now) }
        write()
        publishSoon()
        if let refusal { throw refusal }
        return receipt(statement, of: id, authority, check)
    }

    /// What is known of statements when this one is taken.
    private func counted(
        _ statement: NodeStatementInput, of id: String, as authority: Authority, _ check: Check?, at now: Moment
    ) throws(ControlFailure) -> Statements {
        guard let number = statement.sequence else { return statements }
        var counted = statements
        do throws(Statements.Old) {
            try counted.count(number, of: id, as: authority, check, at: now)
            return counted
        } catch {
            throw ControlFailure(
                .conflict, "sequence \(number) is not above \(error.last), that of the last report",
                remedy: "count on, or leave sequence out")
        }
    }

    /// What a statement claims; `nil`: nothing, or nothing any more.
    private static func claim(
        _ statement: NodeStatementInput, _ authority: Authority, _ check: Check?, _ author: String, at now: Moment
    ) -> Claim? {
        guard case .health(let state)? = statement.state else { return nil }
        // The result of the check says these.
        if check != nil, state == .up || state == .down { return nil }
        let standard = check?.intervalMilliseconds ?? Statements.standardLength
        let length = statement.forSeconds.map { Int64($0) * 1_000 } ?? (authority == .automation ? nil : standard)
        return Claim(
            authority, state, share: statement.share ?? (state == .degraded ? HealthState.fullShare / 2 : .max),
            ends: length.map { now + $0 }, author: author)
    }

    private func keepMetrics(_ statement: NodeStatementInput, of id: String, at now: Moment) {
        let peers = statement.peers?.filter { entries[$0.key] != nil }
        guard statement.load != nil || statement.capacity != nil || statement.connections != nil || peers != nil
        else { return }
        // What is not said is what was said before, but for the load, which is of a moment.
        let before = entries[id]?.reported
        take(
            NodeMetrics(
                load: statement.load, capacity: statement.capacity ?? before?.capacity,
                connections: statement.connections ?? before?.connections, peers: peers ?? before?.peers ?? [:], at: now
            ),
            of: id)
    }

    private func hear(_ id: String, _ check: Check, _ statement: NodeStatementInput, at now: Moment) {
        _ = statements.heartbeats.hear(id, at: now)
        let said: (state: HealthState?, name: String) =
            switch statement.state {
            case .health(let state): (state, state.rawValue)
            case .auto: (nil, "auto")
            case nil: (.up, "up")
            }
        let reason = statement.reason.map { ": \($0)" } ?? ""
        take([
            .heartbeat(
                of: id, check, passed: said.state != .down, evidence: "the node reports \(said.name)\(reason)", at: now)
        ])
    }

    private func receipt(
        _ statement: NodeStatementInput, of id: String, _ authority: Authority, _ check: Check?
    ) -> StatementOutcome {
        let health = fleet.nodes[id]
        let seconds = statement.forSeconds ?? check.map { Int($0.intervalMilliseconds / 1_000) }
        let standard =
            authority == .automation || statement.state == nil ? nil : Int(Statements.standardLength / 1_000)
        let strangers = (statement.peers ?? [:]).keys.filter { entries[$0] == nil }
        return StatementOutcome(
            state: health?.condition.state ?? .unknown, authority: health?.authority,
            validSeconds: seconds ?? standard, unknownPeers: strangers)
    }

    /// Whose reports are missed from now on.
    func listen(to probes: [String: [Check]]) {
        let checks = probes.compactMapValues { checks in checks.first { !$0.isAsked } }
        statements.keep(entries.keys, reporting: checks, at: .now)
    }

    /// Has the checks fail of nodes that are silent for too long.
    func missReports() {
        let now = Moment.now
        for (node, check) in statements.heartbeats.missing(at: now) {
            let seconds = check.intervalMilliseconds / 1_000
            take([.heartbeat(of: node, check, passed: false, evidence: "no report within \(seconds) s", at: now)])
        }
    }
}
