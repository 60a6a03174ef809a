import CFastPathABI
import Foundation
package import Health
package import HealthChecks
import IPNetworks
package import Logging
package import StateStore
package import Steering

/// The nodes' states: the one writer of the node words.
///
/// A change is one store, and the next packet of either path follows it. The census of usable nodes is lowered after the
/// word of a node that leaves, and raised before the word of one that returns: a packet in between declines rather than
/// take the pool for dead.
///
///     results ───┐
///     overrides ─┼──► fleet (pure) ──► word, census ──► events ──► journal, log, watchers
///     time ──────┘
///
/// Nothing here waits for a disk: the store writes behind, in order. A request for a change is answered once it is kept.
package actor NodeController {
    /// A generation that packets read, or soon will.
    private struct Generation {
        let steering: SteeringTables
        let number: Int
        var census: TableCensus
    }

    private let words: any WordStore
    nonisolated let store: any StateStore
    let logger: Logger
    nonisolated let life: LifeCycle
    nonisolated let events: EventStream
    private let state: StateCell
    /// States of an earlier run, by id hash: for nodes without an override.
    private var earlier: [UInt64: UInt64]
    /// The generation in use, and behind it the one being made. A change goes to the census of both.
    private var generations: [Generation] = []
    /// The nodes of all generations.
    var entries: [String: NodeEntry] = [:]
    /// What is known of their health.
    var fleet = Fleet()
    /// What they report.
    var statements = Statements()
    /// Vantage points, this daemon's own checks among them.
    var observers = Observers()
    /// Whether enough of them were heard when they were last asked.
    var hadQuorum = true
    /// What is kept of nodes that are in no generation: they may come back.
    private var departed: [String: KeptNode]
    /// Number of the model in use.
    private(set) var epoch: UInt64 = 0
    /// Nodes that the store does not have as they are.
    var unwritten: Set<String> = []
    /// Pools without a usable node, as last announced.
    private var emptyPools: Set<String> = []
    private var heldNodes: [String] = []
    private var heldWindows: [String] = []
    /// How many transitions this process made.
    private(set) var transitionCount = 0
    /// Whether anything differs from what was last published.
    private var isDirty = true
    /// Whether it will be published before the next tick.
    private var isPublicationDue = false
    /// When what changes without a change of state is kept next: verdicts under an override, and renewed overrides.
    private var keepAllAt = ContinuousClock.now
    private static let keepAllInterval = Duration.seconds(5)

    /// - Parameters:
    ///   - store: what was known of the nodes, and where changes go.
    ///   - earlier: words of an earlier run by the hash of the node's id.
    package init(
        words: any WordStore, store: any StateStore, earlier: [UInt64: UInt64], life: LifeCycle, events: EventStream,
        state: StateCell, logger: Logger
    ) {
        self.words = words
        self.store = store
        self.earlier = earlier
        self.life = life
        self.events = events
        self.state = state
        self.logger = logger
        departed = store.nodes
    }

    /// Publishes what is known now.
    func publish() {
        isDirty = false
        let view = NodesView(
            entries: entries, fleet: fleet, observers: observers, transitions: transitionCount, words: words)
        state.update { $0.nodes = view }
    }

    /// Publishes within a moment, together with what changes meanwhile: each publication is followed by a copy of all nodes.
    func publishSoon() {
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
    ///
    /// A new node's first word is what a person set and the journal kept, else what the words of an earlier run say,
    /// else unknown where something checks it, else up.
    package func prepare(_ steering: SteeringTables, _ plan: HealthPlan, generation: Int) {
        for node in steering.nodes where entries[node.id] == nil {
            let kept = departed.removeValue(forKey: node.id)
            let word = earlier[node.idHash]
            let rules = plan.rules[node.id] ?? HealthRules()
            let known = NodeHealth.Known(kept, earlier: word, isChecked: !rules.checks.isEmpty)
            let health = NodeHealth(rules, known: known, at: .now)
            fleet.add(node.id, health)
            entries[node.id] = NodeEntry(
                node: node, changedAt: kept?.changedAt.map { Date(microseconds: $0) }, setBy: kept?.setBy)
            words.storeIDHash(node.slot, node.idHash)
            words.store(node.slot, health.condition.word(version: word.map(nc_word_version) ?? 0))
        }
        generations.append(
            Generation(steering: steering, number: generation, census: storeCensus(steering, generation)))
    }

    private func storeCensus(_ steering: SteeringTables, _ generation: Int) -> TableCensus {
        let census = TableCensus(steering, word: words.word)
        for (table, count) in census.all.enumerated() {
            words.storeCensus(generation: generation, table: table, count)
        }
        return census
    }

    /// The prepared model is the one in use now, and no packet reads the one before. Keeps the new nodes' slots.
    package func commit(epoch: UInt64) {
        self.epoch = epoch
        generations.removeFirst(generations.count - 1)
        for node in generations[0].steering.nodes { entries[node.id]?.node = node }
        var left: [String: KeptNode?] = [:]
        for id in forgetOthers() { left[id] = departed[id] }
        // There are no more slots to be kept; what people said is kept always.
        if departed.count > Int(NC_MAX_NODES) {
            for id in departed.filter({ !$0.value.isWished }).keys {
                departed[id] = nil
                left[id] = .some(nil)
            }
        }
        store.write([], nodes: left)
        // Of use to the first model only.
        earlier = [:]
        unwritten.formUnion(entries.keys)
        write()
        publish()
    }

    /// Whether a model is prepared and not committed.
    package var isPrepared: Bool { generations.count > 1 }

    /// The prepared model will not be used.
    package func abandon() {
        generations.removeLast()
        forgetOthers()
    }

    /// Lets go of nodes that no view has; these.
    @discardableResult
    private func forgetOthers() -> [String] {
        let named = Set(generations.flatMap { $0.steering.nodes.map(\.id) })
        let others = entries.keys.filter { !named.contains($0) }
        for id in others {
            departed[id] = entries[id].map(kept)
            entries[id] = nil
            fleet.remove(id)
        }
        return others
    }

    /// Judges nodes by other rules from now on.
    ///
    /// - Returns: whether anything differs from before, and the checks of each node to ask.
    package func use(_ plan: HealthPlan) -> (changed: Bool, checks: [String: [Check]]) {
        let before = (brake: fleet.brake, regions: fleet.regions, observers: observers.points)
        fleet.brake = plan.brake
        fleet.use(plan.pools)
        fleet.use(plan.regions)
        var changed = before.brake != fleet.brake || before.regions != fleet.regions
        var probes: [String: [Check]] = [:]
        for id in Array(entries.keys) {
            let rules = plan.rules[id] ?? HealthRules()
            if fleet.nodes[id]?.rules != rules {
                changed = true
                unwritten.insert(id)
            }
            if let effect = fleet.use(rules, for: id, at: .now) { apply([effect]) }
            if var entry = entries[id] {
                entry.results = entry.results.filter { rules.checks.contains($0.key) }
                entries[id] = entry
            }
            if !rules.checks.isEmpty { probes[id] = rules.checks }
        }
        // Regions lower shares before the first packet of a new model asks.
        apply(fleet.advance(to: .now))
        announcePools(fleet.pools)
        listen(to: probes)
        use(observers: plan.observers)
        changed = changed || before.observers != observers.points
        write()
        publish()
        return (changed, probes.mapValues { $0.filter(\.isAsked) })
    }

    // MARK: - From one process to the next

    /// Writes everything: a successor reads it. Call it after the life cycle stopped allowing changes of nodes.
    package func handOver() async {
        unwritten.formUnion(fleet.takeUnkept())
        write(isLast: true)
        guard let problem = await store.handOver() else { return }
        logger.error("the successor does not know the last changes of nodes", metadata: ["error": "\(problem)"])
    }

    /// The successor is gone: words and census are this daemon's again. Call it before changes of nodes are allowed.
    package func takeBack() async {
        // Else it could give numbers that the successor gave.
        if let problem = await store.resume() {
            logger.error("cannot write node states after the handover", metadata: ["error": "\(problem)"])
        }
        // The successor may have written words of its own.
        for (id, entry) in entries {
            guard let condition = fleet.nodes[id]?.condition else { continue }
            words.store(entry.node.slot, condition.word(after: words.word(entry.node.slot)))
        }
        for index in generations.indices {
            generations[index].census = storeCensus(generations[index].steering, generations[index].number)
        }
    }

    /// Ends waiting for events. The store is still open, for requests that make one last change.
    package func close() {
        events.close()
        unwritten.formUnion(fleet.takeUnkept())
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
        guard life.current.nodeRefusal == nil, entries[report.node] != nil else { return }
        entries[report.node]?.results[report.check] = report
        let result = report.outcome.result
        guard result != .unasked else { return }
        guard
            let effect = fleet.take(passed: result == .passed, of: report.check, of: report.node, at: report.at)
        else { return }
        apply([effect], evidence: "\(report.check): \(report.outcome.evidence)")
        write()
    }

    /// Lets time pass; a few times a second.
    package func tick() {
        guard life.current.nodeRefusal == nil else { return }
        missReports()
        consult()
        apply(fleet.advance(to: .now))
        keepAll()
        write()
        store.retry()
        announceHeldWindows()
        announceHeldNodes()
        if isDirty { publish() }
    }

    private func keepAll() {
        guard ContinuousClock.now >= keepAllAt else { return }
        keepAllAt = .now + Self.keepAllInterval
        unwritten.formUnion(fleet.takeUnkept())
    }

    private func announceHeldNodes() {
        let held = fleet.held
        guard held != heldNodes else { return }
        if held.count > heldNodes.count || held.isEmpty { events.append(.nodesHeld(held)) }
        heldNodes = held
    }

    private func announceHeldWindows() {
        let held = fleet.heldWindows
        guard held != heldWindows else { return }
        events.append(
            held.filter { !heldWindows.contains($0) }.map {
                .maintenanceHeld(node: $0, pools: fleet.emptied(without: $0))
            })
        heldWindows = held
    }

    // MARK: - Words

    /// Stores the words, then announces the transitions.
    ///
    /// - Returns: when packets see it.
    @discardableResult
    func apply(_ effects: [Fleet.Effect], evidence: String? = nil) -> ContinuousClock.Instant {
        for effect in effects {
            guard let slot = entries[effect.node]?.node.slot else { continue }
            let before = words.word(slot)
            let word = effect.condition.word(after: before)
            let (left, right) = (Self.rank(before), Self.rank(word))
            if right > left { updateCensus(slot, from: before, to: word) }
            words.store(slot, word)
            if right < left { updateCensus(slot, from: before, to: word) }
        }
        let seen = ContinuousClock.now
        note(effects, evidence)
        return seen
    }

    private func note(_ effects: [Fleet.Effect], _ evidence: String?) {
        if !effects.isEmpty { publishSoon() }
        let now = Date()
        var changed: [Event.Kind] = []
        for effect in effects {
            guard let transition = effect.transition, var entry = entries[effect.node] else { continue }
            (entry.changedAt, entry.setBy) = (now, transition.author)
            entries[effect.node] = entry
            unwritten.remove(effect.node)
            changed.append(
                .node(
                    NodeTransition(
                        node: effect.node, from: transition.from, to: transition.to, cause: transition.cause,
                        authority: transition.authority, evidence: evidence, author: transition.author, epoch: epoch,
                        kept: kept(entry))))
        }
        guard !changed.isEmpty else { return }
        transitionCount += changed.count
        events.append(changed)
        announcePools(fleet.pools(of: changed.compactMap(\.node)))
        publish()
    }

    /// Announces pools that lost their last usable node, or have one again.
    private func announcePools(_ pools: [Fleet.Pool]) {
        for pool in pools {
            let isEmpty = fleet.usable(in: pool) == 0
            guard isEmpty != emptyPools.contains(pool.id) else { continue }
            if isEmpty { emptyPools.insert(pool.id) } else { emptyPools.remove(pool.id) }
            events.append(isEmpty ? .poolEmpty(pool.id) : .poolUsable(pool.id))
        }
    }

    func word(of entry: NodeEntry) -> UInt64 { words.word(entry.node.slot) }

    /// What a census counts of a word: a node that gains returns, one that loses leaves.
    private static func rank(_ word: UInt64) -> Int {
        let state = HealthState(word: word)
        return state == .up || state == .degraded ? 2 : state == .unknown ? 1 : 0
    }

    /// Writes the census of the tables that the node is in, in every view.
    private func updateCensus(_ slot: Int, from before: UInt64, to word: UInt64) {
        for index in generations.indices {
            let generation = generations[index].number
            generations[index].census.change(slot, from: before, to: word) { table, census in
                words.storeCensus(generation: generation, table: table, census)
            }
        }
    }

    // MARK: - What outlives the process

    /// Hands the store what it does not know yet. Nodes that made a transition are written with it.
    func write(isLast: Bool = false) {
        guard isLast || life.current.nodeRefusal == nil, !unwritten.isEmpty else { return }
        var nodes: [String: KeptNode?] = [:]
        for id in unwritten { if let entry = entries[id] { nodes[id] = kept(entry) } }
        store.write([], nodes: nodes)
        unwritten = []
    }

    private func kept(_ entry: NodeEntry) -> KeptNode {
        KeptNode(slot: entry.node.slot, changedAt: entry.changedAt, fleet.nodes[entry.node.id], setBy: entry.setBy)
    }
}

extension Event.Kind {
    /// The node of a transition.
    fileprivate var node: String? { if case .node(let transition) = self { transition.node } else { nil } }
}
