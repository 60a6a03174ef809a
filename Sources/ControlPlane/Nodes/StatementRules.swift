import ControlFailures
import Health
import HealthChecks

/// What a report of a node or an agent means. Pure: the time and what is known are arguments.
///
/// A node that is configured to report passes or fails its check by it: `down` is a failure, all else a success. It may
/// lower its own state (`degraded`, `drained`); it cannot raise it above what its other checks say.
struct StatementRules {
    let statement: NodeStatementInput
    let node: String
    let authority: Authority
    /// The check that the report decides, when the node itself reports.
    let check: Check?

    /// The override that it makes; `nil`: none, or it withdraws one.
    private func claim(by author: String, at now: Moment) -> Claim? {
        guard case .health(let state)? = statement.state else { return nil }
        // The result of the check says these.
        if check != nil, state == .up || state == .down { return nil }
        let standard = check?.intervalMilliseconds ?? Statements.standardLength
        let length = statement.forSeconds.map { Int64($0) * 1_000 } ?? (authority == .automation ? nil : standard)
        return Claim(
            authority, state, share: statement.share ?? (state == .degraded ? HealthState.fullShare / 2 : .max),
            ends: length.map { now + $0 }, author: author)
    }

    /// Makes or withdraws what it claims.
    ///
    /// - Returns: what changes, and why the claim was refused: the node is the last usable one of a pool.
    func make(
        in fleet: inout Fleet, by author: String, at now: Moment
    ) -> (effects: [Fleet.Effect], refusal: ControlFailure?) {
        guard let claim = claim(by: author, at: now) else {
            guard statement.state != nil || authority == .report else { return ([], nil) }
            return (fleet.withdraw(authority, of: node, author: author, at: now).map { [$0] } ?? [], nil)
        }
        do throws(Fleet.LastOfPools) {
            let isForced = authority > .report && statement.force
            return (try fleet.make(claim, of: node, force: isForced, at: now).map { [$0] } ?? [], nil)
        } catch {
            let refusal = ControlFailure(
                .conflict, "node \(node) is the last usable node of \(error.named)",
                remedy: "bring another node up first")
            return ([], refusal)
        }
    }

    /// Counts its number.
    ///
    /// - Returns: what is known of statements with this one.
    /// - Throws: `conflict` when the number is not above that of the statement before.
    func counted(in statements: Statements, at now: Moment) throws(ControlFailure) -> Statements {
        guard let number = statement.sequence else { return statements }
        var counted = statements
        do throws(Statements.Old) {
            try counted.count(number, of: node, as: authority, check, at: now)
            return counted
        } catch {
            throw ControlFailure(
                .conflict, "sequence \(number) is not above \(error.last), that of the last report",
                remedy: "count on, or leave sequence out")
        }
    }

    /// The node's metrics with this report; `nil`: it reports none. What it leaves out stays as it was, except for the
    /// load, which is of a moment.
    ///
    /// - Parameter isKnown: whether there is such a node.
    func metrics(after before: NodeMetrics?, isKnown: (String) -> Bool, at now: Moment) -> NodeMetrics? {
        let peers = statement.peers?.filter { isKnown($0.key) }
        guard statement.load != nil || statement.capacity != nil || statement.connections != nil || peers != nil
        else { return nil }
        return NodeMetrics(
            load: statement.load, capacity: statement.capacity ?? before?.capacity,
            connections: statement.connections ?? before?.connections, peers: peers ?? before?.peers ?? [:], at: now)
    }

    /// The result of the check that it decides.
    func result(at now: Moment) -> ProbeReport? {
        guard let check else { return nil }
        let said: (state: HealthState?, name: String) =
            switch statement.state {
            case .health(let state): (state, state.rawValue)
            case .auto: (nil, "auto")
            case nil: (.up, "up")
            }
        let reason = statement.reason.map { ": \($0)" } ?? ""
        return .heartbeat(
            of: node, check, passed: said.state != .down, evidence: "the node reports \(said.name)\(reason)", at: now)
    }

    /// The answer to the sender.
    func receipt(_ health: NodeHealth?, isKnown: (String) -> Bool) -> StatementOutcome {
        let seconds = statement.forSeconds ?? check.map { Int($0.intervalMilliseconds / 1_000) }
        let standard =
            authority == .automation || statement.state == nil ? nil : Int(Statements.standardLength / 1_000)
        return StatementOutcome(
            state: health?.condition.state ?? .unknown, authority: health?.authority,
            validSeconds: seconds ?? standard, unknownPeers: (statement.peers ?? [:]).keys.filter { !isKnown($0) })
    }
}
