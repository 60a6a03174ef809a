package import ControlFailures
import Foundation
package import Health
package import HealthChecks
package import Logging
package import StateStore
package import Steering

/// The nodes' states: the one writer of the node words.
///
/// A change is one store, and the next packet of either path follows it.
///
///     results ───┐
///     overrides ─┼──► fleet (pure) ──► word, census ──► events ──► journal, log, watchers
///     time ──────┘
///
/// The controller decides the order. Values do the work: ``OverrideRules`` and ``StatementRules`` interpret requests,
/// ``ObserverBoard`` finds what vantage points agree on, ``NodeWordTable`` writes what packets read, and ``NodeRecords``
/// knows what the store lacks.
///
/// Nothing here waits for a disk: the store writes behind, in order. A request for a change is answered once it is kept.
package actor NodeController {
    private static let keepAllInterval = Duration.seconds(5)

    private let store: any StateStore
    private let logger: Logger
    private let life: LifeCycle
    private let events: EventStream
    private let state: StateCell
    /// States of an earlier run, by id hash: for nodes without an override.
    private var earlier: [UInt64: WordsOfNode]
    private var table: NodeWordTable
    private var records: NodeRecords
    /// The nodes of all generations.
    private var roster = NodeRoster()
    /// What they report.
    private var statements = Statements()
    private var board = ObserverBoard()
    private var news = FleetNews()
    /// Number of the model in use.
    private var epoch: UInt64 = 0
    /// How many transitions this process made.
    private var transitionCount = 0
    /// Whether anything differs from what was last published.
    private var isDirty = true
    /// Whether it will be published before the next tick.
    private var isPublicationDue = false
    /// When what changes without a change of state is kept next: verdicts under an override, and renewed overrides.
    private var keepAllAt = ContinuousClock.now

    /// - Parameters:
    ///   - store: what was known of the nodes, and where changes go.
    ///   - earlier: words of an earlier run by the hash of the node's id.
    package init(
        words: any WordStore, store: any StateStore, earlier: [UInt64: WordsOfNode], life: LifeCycle,
        events: EventStream,
        state: StateCell, logger: Logger
    ) {
        self.store = store
        self.earlier = earlier
        self.life = life
        self.events = events
        self.state = state
        self.logger = logger
        table = NodeWordTable(words)
        records = NodeRecords(store)
    }

    package static func unknown(_ id: String) -> ControlFailure {
        ControlFailure(.notFound, "there is no node \"\(id)\"", remedy: "`nearcast node list` shows the nodes")
    }

    /// Publishes what is known now.
    private func publish() {
        isDirty = false
        let view = NodesView(
            entries: roster.entries, fleet: roster.fleet, observers: board.observers, transitions: transitionCount,
            words: table.words)
        state.update { $0.nodes = view }
    }

    /// Publishes within 20 ms, together with what changes until then: the next change after a publication copies all nodes.
    private func publishSoon() {
        isDirty = true
        guard !isPublicationDue else { return }
        isPublicationDue = true
        Task {
            try? await Task.sleep(for: .milliseconds(20))
            self.isPublicationDue = false
            if self.isDirty { self.publish() }
        }
    }

    // MARK: - Models

    /// Makes words and census ready for a model that is to be served from `generation`. The model in use is not
    /// disturbed: its nodes keep their words, and new ones have slots that it does not name.
    package func prepare(_ steering: SteeringTables, _ plan: HealthPlan, generation: Int) {
        for node in steering.nodes where !roster.has(node.id) {
            let rules = plan.rules[node.id] ?? HealthRules()
            let kept = records.arrive(node.id)
            table.begin(node, roster.add(node, rules, kept, words: earlier[node.idHash]))
        }
        table.prepare(steering, generation)
    }

    /// The prepared model is the one in use now, and no packet reads the one before. Keeps the new nodes' slots.
    package func commit(epoch: UInt64) {
        self.epoch = epoch
        roster.update(table.commit())
        records.writeDeparted(roster.removeAll(but: table.nodes))
        // Of use to the first model only.
        earlier = [:]
        records.mark(roster.entries.keys)
        write()
        publish()
    }

    /// Whether a model is prepared and not committed.
    package var isPrepared: Bool { table.isPrepared }

    /// The prepared model will not be used.
    package func abandon() {
        table.abandon()
        records.depart(roster.removeAll(but: table.nodes))
    }

    /// Judges nodes by other rules from now on.
    ///
    /// - Returns: whether anything differs from before, and the checks of each node to ask.
    package func use(_ plan: HealthPlan) -> (changed: Bool, checks: [String: [Check]]) {
        let before = (brake: roster.fleet.brake, regions: roster.fleet.regions, observers: board.observers.points)
        roster.fleet.brake = plan.brake
        roster.fleet.use(plan.pools)
        roster.fleet.use(plan.regions)
        var changed = before.brake != roster.fleet.brake || before.regions != roster.fleet.regions
        var probes: [String: [Check]] = [:]
        for id in Array(roster.entries.keys) {
            let rules = plan.rules[id] ?? HealthRules()
            let (isOther, effect) = roster.use(rules, for: id)
            if isOther {
                changed = true
                records.mark([id])
            }
            if let effect { apply([effect]) }
            if !rules.checks.isEmpty { probes[id] = rules.checks }
        }
        // Regions lower shares before the first packet of a new model asks.
        apply(roster.fleet.advance(to: .now))
        events.append(news.pools(roster.fleet.pools, in: roster.fleet))
        let reporting = probes.compactMapValues { checks in checks.first { !$0.isAsked } }
        statements.keep(roster.entries.keys, reporting: reporting, at: .now)
        use(observers: plan.observers)
        changed = changed || before.observers != board.observers.points
        write()
        publish()
        return (changed, probes.mapValues { $0.filter(\.isAsked) })
    }

    // MARK: - From one process to the next

    /// Writes everything: a successor reads it. Call it after the life cycle stopped allowing changes of nodes.
    package func handOver() async {
        records.mark(roster.fleet.takeUnkept())
        write(isLast: true)
        guard let problem = await store.handOver() else { return }
        logger.error("cannot write node states for the successor", metadata: ["error": "\(problem)"])
    }

    /// The successor is gone: words and census are this daemon's again. Call it before changes of nodes are allowed.
    package func takeBack() async {
        // Else it could give numbers that the successor gave.
        if let problem = await store.resume() {
            logger.error("cannot write node states after the handover", metadata: ["error": "\(problem)"])
        }
        // The successor's transitions are in the store.
        events.forget()
        // The successor may have written words of its own.
        table.storeAll(
            roster.entries.compactMap { id, entry in roster.fleet.nodes[id].map { (entry.node, $0.conditions) } })
    }

    /// Ends waiting for events. The store is still open, for requests that make one last change.
    package func close() {
        events.close()
        records.mark(roster.fleet.takeUnkept())
        write()
    }

    // MARK: - Results and time

    /// Checks have come to results.
    package func take(_ reports: [ProbeReport]) {
        for report in reports { take(report) }
        // The next tick publishes them: with thousands of checks there are results all the time.
        isDirty = true
    }

    private func take(_ report: ProbeReport) {
        guard life.current.nodeRefusal == nil, roster.has(report.node), let effect = roster.take(report)
        else { return }
        apply([effect], evidence: "\(report.check): \(report.outcome.evidence)")
        write()
    }

    /// Lets time pass; a few times a second.
    package func tick() {
        guard life.current.nodeRefusal == nil else { return }
        missReports()
        consult()
        apply(roster.fleet.advance(to: .now))
        if ContinuousClock.now >= keepAllAt {
            keepAllAt = .now + Self.keepAllInterval
            records.mark(roster.fleet.takeUnkept())
        }
        write()
        store.retry()
        events.append(news.held(in: roster.fleet))
        if isDirty { publish() }
    }

    /// Fails the checks of nodes that are silent for too long.
    private func missReports() {
        let now = Moment.now
        for (node, check) in statements.heartbeats.missing(at: now) {
            let seconds = check.intervalMilliseconds / 1_000
            take([.heartbeat(of: node, check, passed: false, evidence: "no report within \(seconds) s", at: now)])
        }
    }

    // MARK: - Overrides

    /// Applies an operator's order to nodes: to all of them at once, or to none.
    ///
    /// - Returns: the nodes, how many changed state, and when packets saw it.
    /// - Throws: `notFound` for an unknown node or pool, `conflict` when a pool would lose its last usable node, `internal`
    ///   when the change is made but could not be kept.
    package func apply(
        _ order: NodeOrder, to selection: NodeSelection
    ) async throws(ControlFailure) -> NodeOrderOutcome {
        try life.requireNodeChanges()
        let ids = try OverrideRules.ids(of: selection, in: roster.fleet, known: Set(roster.entries.keys))
        let effects = try OverrideRules.make(order, of: ids, in: &roster.fleet, at: .now)
        let seen = apply(effects)
        roster.note(order, of: ids)
        records.mark(ids)
        publish()
        write()
        let outcome = NodeOrderOutcome(
            nodes: ids, changed: effects.count { !$0.transitions.isEmpty }, seenAt: seen)
        guard let problem = await store.flush() else { return outcome }
        let one = ids.count == 1 ? roster.fleet.nodes[ids[0]]?.condition.state : nil
        throw OverrideRules.unkept(ids, one, "\(problem)", path: store.path)
    }

    // MARK: - Reports

    /// Takes a statement that is sound in itself.
    ///
    /// - Parameter speaker: whose pace of changes is limited; `nil`: no limit.
    /// - Throws: `notFound` for an unknown node, `tooMany` when the speaker changes it too often, `conflict` for an old
    ///   sequence number or when a pool would lose its last usable node.
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
        guard roster.has(id) else { throw Self.unknown(id) }
        let now = Moment.now
        let rules = StatementRules(
            statement: statement, node: id, authority: authority,
            check: authority == .report ? statements.heartbeats.check(of: id) : nil)
        statements = try rules.counted(in: statements, at: now)
        let (effects, refusal) = rules.make(in: &roster.fleet, by: author, at: now)
        apply(effects)
        // A refused statement, too, shows that the node lives.
        let before = roster.entries[id]?.reported
        if let metrics = rules.metrics(after: before, isKnown: roster.has, at: now) { roster.take(metrics, of: id) }
        if let result = rules.result(at: now) {
            _ = statements.heartbeats.hear(id, at: now)
            take([result])
        }
        write()
        publishSoon()
        if let refusal { throw refusal }
        return rules.receipt(roster.fleet.nodes[id], isKnown: roster.has)
    }

    // MARK: - Observers

    /// Takes what another vantage point sees.
    ///
    /// - Returns: how many verdicts are of nodes that are checked here, and the others' ids.
    /// - Throws: `notFound` where no such observer is configured.
    package func take(
        _ verdicts: [Observers.Subject: Observers.Verdict], from observer: String
    ) throws(ControlFailure) -> (counted: Int, isHeard: Bool, freshness: Int64, ignored: [String]) {
        try life.requireNodeChanges()
        let now = Moment.now
        let counted = Set(verdicts.keys.map(\.node).filter { roster.fleet.nodes[$0]?.rules.checks.isEmpty == false })
        let views = ObserverBoard.views(verdicts.filter { counted.contains($0.key.node) }, of: roster.fleet.nodes)
        guard board.take(views, from: observer, at: now) else {
            throw ControlFailure(
                .notFound, "there is no observer \"\(observer)\"", remedy: "add it to health.observers")
        }
        consult()
        write()
        publishSoon()
        return (
            counted.count, board.observers.heard(at: now).contains(observer), board.observers.freshness,
            Set(verdicts.keys.map(\.node)).subtracting(counted).sorted()
        )
    }

    private func use(observers others: [String]) {
        board.use(others: others, checked: ObserverBoard.subjects(of: roster.fleet.nodes))
        if !board.observers.areSeveral {
            // This daemon decides alone again.
            let now = Moment.now
            for (id, health) in roster.fleet.nodes where health.families.contains(where: { $0.agreed != nil }) {
                apply(roster.fleet.agree(on: nil, of: id, at: now).map { [$0] } ?? [])
            }
        }
        consult()
    }

    /// Enters what this daemon sees, and takes over what the vantage points agree on.
    private func consult() {
        let now = Moment.now
        for decision in board.consult(roster.fleet.nodes, at: now) {
            let (node, family) = (decision.subject.node, decision.subject.family)
            guard let effect = roster.fleet.agree(on: decision.verdict, of: node, family, at: now) else { continue }
            apply([effect], evidence: board.evidence(for: decision, at: now))
        }
        if let quorum = board.quorumNews(at: now) { events.append(quorum) }
    }

    // MARK: - Effects

    /// Stores the words, then announces the transitions.
    ///
    /// - Returns: when packets see it.
    @discardableResult
    private func apply(_ effects: [Fleet.Effect], evidence: String? = nil) -> ContinuousClock.Instant {
        for effect in effects {
            if let node = roster.entries[effect.node]?.node { table.store(effect.conditions, of: node) }
        }
        let seen = ContinuousClock.now
        note(effects, evidence)
        return seen
    }

    private func note(_ effects: [Fleet.Effect], _ evidence: String?) {
        if !effects.isEmpty { publishSoon() }
        let now = Date()
        var changed: [Event.Kind] = []
        var nodes: [String] = []
        for effect in effects {
            for transition in effect.transitions {
                guard let kept = roster.note(transition, of: effect.node, at: now) else { continue }
                records.unmark(effect.node)
                nodes.append(effect.node)
                let evidence = evidence ?? roster.evidence(of: transition, of: effect.node)
                changed.append(
                    .node(NodeTransition(transition, of: effect.node, evidence: evidence, epoch: epoch), kept: kept))
            }
        }
        guard !changed.isEmpty else { return }
        transitionCount += changed.count
        events.append(changed)
        events.append(news.pools(roster.fleet.pools(of: nodes), in: roster.fleet))
        publish()
    }

    /// Hands the store what it does not know yet. Nodes that made a transition are written with it.
    private func write(isLast: Bool = false) {
        guard isLast || life.current.nodeRefusal == nil else { return }
        records.write(roster.kept)
    }
}
