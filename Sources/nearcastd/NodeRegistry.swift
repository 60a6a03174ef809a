import CFastPathABI
import ControlFailures
import Foundation
import Health
import HealthChecks
import IPNetworks
import Journal
import Logging
import ManagementTypes
import Serving
import Steering

/// The nodes' states: the one writer of the node words.
///
/// A change is one store, and the next packet of either path follows it. The census is told after a node that leaves
/// and before one that returns, so that a packet in between declines rather than takes the pool for dead.
///
///     results ─┐
///     wishes ──┼──► fleet (pure) ──► word, census ──► watchers, journal
///     time ────┘
///
/// Nothing here waits for a disk: the journal writes behind, in order. Who asks for a change is answered once it is kept.
actor NodeRegistry {
    struct Entry {
        var node: SteeringNode
        var changedAt: Date?
        /// Who made the claim that holds, and why.
        var setBy: String?
        /// What each check saw last.
        var results: [Check: ProbeReport] = [:]
        /// What it has last said of how busy it is; `nil`: nothing since the start.
        var reported: NodeMetrics?
    }

    /// A generation that packets read, or soon will.
    private struct View {
        let steering: SteeringTables
        let generation: Int
        var census: TableCensus
    }

    private let words: NodeWords
    nonisolated let journal: Journal
    let logger: Logger
    /// States of an earlier run, by id hash: for nodes that nobody set.
    private var earlier: [UInt64: UInt64]
    /// The generation in use, and behind it the one being made. A change goes to the census of both.
    private var views: [View] = []
    /// The nodes of all views.
    var entries: [String: Entry] = [:]
    /// What is known of their health.
    var fleet = Fleet()
    /// What they say by themselves.
    var statements = Statements()
    /// Vantage points, this daemon's own checks among them.
    var observers = Observers()
    /// Whether enough of them were heard when they were last asked.
    var hadQuorum = true
    /// What is kept of nodes that are in no view: they may come back.
    private var departed: [String: KeptNode]
    /// A successor has read the states, and writes them from now on.
    private var isHeld = false
    let log: TransitionLog
    /// Number of the model in use.
    private(set) var epoch: UInt64 = 0
    /// What the journal does not know yet: changes, and nodes of which something else is to be kept.
    var unwritten: (transitions: [TransitionReport], nodes: Set<String>) = ([], [])
    /// Pools without a usable node, of which has been told.
    private var emptyPools: Set<String> = []
    private var heldNodes: [String] = []
    private var heldWindows: [String] = []
    /// When what changes without a change of state is kept next: verdicts under a claim, and claims made again and again.
    private var keepAllAt = ContinuousClock.now
    private static let keepAllInterval = Duration.seconds(5)

    /// - Parameters:
    ///   - journal: what was known of the nodes, and where changes go.
    ///   - earlier: words of an earlier run by the hash of the node's id.
    init(
        words: NodeWords, journal: Journal, earlier: [UInt64: UInt64], logger: Logger
    ) {
        self.logger = logger
        self.words = words
        self.journal = journal
        self.earlier = earlier
        log = TransitionLog(after: journal.latest)
        departed = journal.nodes
    }

    // MARK: - Models

    /// Makes words and census ready for a model that is to be served from `generation`. The model in use is not
    /// disturbed: its nodes keep their words, and new ones have slots that it does not name.
    ///
    /// A new node's first word is what a person set and the journal kept, else what the words of an earlier run say,
    /// else unknown where something checks it, else up.
    func prepare(_ steering: SteeringTables, _ plan: HealthPlan, generation: Int) {
        for node in steering.nodes where entries[node.id] == nil {
            let kept = departed.removeValue(forKey: node.id)
            let word = earlier[node.idHash]
            let rules = plan.rules[node.id] ?? HealthRules()
            let known = NodeHealth.Known(kept, earlier: word, isChecked: !rules.checks.isEmpty)
            let health = NodeHealth(rules, known: known, at: .now)
            fleet.add(node.id, health)
            entries[node.id] = Entry(
                node: node, changedAt: kept?.changedAt.map { Date(microseconds: $0) }, setBy: kept?.setBy)
            words.storeIDHash(node.slot, node.idHash)
            words.store(node.slot, health.condition.word(version: word.map(nc_word_version) ?? 0))
        }
        views.append(
            View(steering: steering, generation: generation, census: storeCensus(steering, generation)))
    }

    private func storeCensus(_ steering: SteeringTables, _ generation: Int) -> TableCensus {
        let census = TableCensus(steering, word: words.word)
        for (table, count) in census.all.enumerated() {
            words.storeCensus(generation: generation, table: table, count)
        }
        return census
    }

    /// The prepared model is the one in use now, and no packet reads the one before. Keeps the new nodes' slots.
    func commit(epoch: UInt64) {
        self.epoch = epoch
        views.removeFirst(views.count - 1)
        for node in views[0].steering.nodes { entries[node.id]?.node = node }
        var left: [String: KeptNode?] = [:]
        for id in forgetOthers() { left[id] = departed[id] }
        // There are no more slots to be kept; what people said is kept always.
        if departed.count > Int(NC_MAX_NODES) {
            for id in departed.filter({ !$0.value.isWished }).keys {
                departed[id] = nil
                left[id] = .some(nil)
            }
        }
        journal.write(nodes: left)
        // Of use to the first model only.
        earlier = [:]
        unwritten.nodes.formUnion(entries.keys)
        write()
    }

    /// The prepared model will not be used.
    func abandon() {
        views.removeLast()
        forgetOthers()
    }

    /// Lets go of nodes that no view has; these.
    @discardableResult
    private func forgetOthers() -> [String] {
        let named = Set(views.flatMap { $0.steering.nodes.map(\.id) })
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
    /// - Returns: whether anything is other than before, and what is to be asked of each node.
    func use(_ plan: HealthPlan) -> (changed: Bool, probes: [String: [Check]]) {
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
                unwritten.nodes.insert(id)
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
        watchPools(fleet.pools)
        listen(to: probes)
        use(observers: plan.observers)
        changed = changed || before.observers != observers.points
        write()
        return (changed, probes.mapValues { $0.filter(\.isAsked) })
    }

    // MARK: - From one process to the next

    /// Changes no state until `release`: a successor takes over, and reads what is kept, which is all when this returns.
    func hold() async {
        unwritten.nodes.formUnion(fleet.takeUnkept())
        write()
        isHeld = true
        guard let problem = await journal.handOver() else { return }
        logger.error(
            "the successor does not know of the last changes of nodes' states", metadata: ["why": "\(problem)"])
    }

    func release() async {
        // Else it could give numbers that the successor gave.
        _ = await journal.resume()
        // The successor may have written words of its own.
        for (id, entry) in entries {
            guard let condition = fleet.nodes[id]?.condition else { continue }
            words.store(entry.node.slot, condition.word(after: words.word(entry.node.slot)))
        }
        for index in views.indices { views[index].census = storeCensus(views[index].steering, views[index].generation) }
        isHeld = false
    }

    func requireFree() throws(ControlFailure) {
        if isHeld { throw ControlCenter.isHandingOver }
    }

    /// Nobody waits for changes any more. The journal is open still, for those who ask for one last change.
    func close() {
        log.close()
        unwritten.nodes.formUnion(fleet.takeUnkept())
        write()
    }

    // MARK: - Results and time

    /// Checks have come to results.
    func take(_ reports: [ProbeReport]) {
        for report in reports { take(report) }
    }

    private func take(_ report: ProbeReport) {
        guard !isHeld, entries[report.node] != nil else { return }
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
    func tick() {
        guard !isHeld else { return }
        missReports()
        consult()
        apply(fleet.advance(to: .now))
        keepAll()
        write()
        journal.retry()
        tellWindows()
        let held = fleet.held
        if held != heldNodes {
            if held.count > heldNodes.count {
                logger.error(
                    "too many nodes fail at once: those held here are answered on until another kind of check confirms",
                    metadata: ["nodes": "\(held.prefix(8).joined(separator: " "))", "count": "\(held.count)"])
            }
            heldNodes = held
        }
    }

    private func keepAll() {
        guard ContinuousClock.now >= keepAllAt else { return }
        keepAllAt = .now + Self.keepAllInterval
        unwritten.nodes.formUnion(fleet.takeUnkept())
    }

    /// Tells of windows that wait to take effect.
    private func tellWindows() {
        let held = fleet.heldWindows
        guard held != heldWindows else { return }
        for id in held where !heldWindows.contains(id) {
            logger.error(
                "maintenance does not begin: the node is the last usable one of a pool, and waits for another",
                metadata: ["node": "\(id)", "pools": "\(fleet.emptied(without: id).joined(separator: " "))"])
        }
        heldWindows = held
    }

    // MARK: - Words

    /// Tells packets, then everybody else but the journal, which ``write()`` tells.
    ///
    /// - Returns: when packets saw it.
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
        let told = ContinuousClock.now
        note(effects, evidence)
        return told
    }

    private func note(_ effects: [Fleet.Effect], _ evidence: String?) {
        let now = Date()
        let reports = effects.compactMap { effect in
            effect.transition.map { report($0, of: effect.node, evidence, now) }
        }
        guard !reports.isEmpty else { return }
        log.add(reports)
        unwritten.transitions += reports
        for report in reports {
            entries[report.node]?.changedAt = now
            entries[report.node]?.setBy = report.author
            unwritten.nodes.insert(report.node)
            logger.notice(
                "node \(report.to.rawValue)",
                metadata: [
                    "node": "\(report.node)", "before": "\(report.from.rawValue)", "cause": "\(report.cause)",
                    "evidence": "\(evidence ?? "")", "by": "\(report.author ?? "")",
                ])
        }
        watchPools(fleet.pools(of: reports.map(\.node)))
    }

    private func report(_ transition: Transition, of id: String, _ evidence: String?, _ now: Date) -> TransitionReport {
        TransitionReport(
            sequence: journal.nextNumber(), time: now, node: id, from: NodeState(transition.from),
            to: NodeState(transition.to), cause: transition.cause.rawValue, authority: "\(transition.authority)",
            evidence: evidence, author: transition.author, epoch: epoch)
    }

    /// Tells when nobody of a pool is left, and when somebody is again.
    private func watchPools(_ pools: [Fleet.Pool]) {
        for pool in pools {
            let isEmpty = fleet.usable(in: pool) == 0
            guard isEmpty != emptyPools.contains(pool.id) else { continue }
            if isEmpty {
                emptyPools.insert(pool.id)
                logger.error(
                    "no node of the pool is usable: its names are answered by their policies' rule",
                    metadata: ["pool": "\(pool.id)"])
            } else {
                emptyPools.remove(pool.id)
                logger.notice("the pool has a usable node again", metadata: ["pool": "\(pool.id)"])
            }
        }
    }

    func word(of entry: Entry) -> UInt64 { words.word(entry.node.slot) }

    /// What a census counts of a word: a node that gains returns, one that loses leaves.
    private static func rank(_ word: UInt64) -> Int {
        let state = NodeState(word: word)
        return state == .up || state == .degraded ? 2 : state == .unknown ? 1 : 0
    }

    /// Writes the census of the tables that the node is in, in every view.
    private func updateCensus(_ slot: Int, from before: UInt64, to word: UInt64) {
        for index in views.indices {
            let generation = views[index].generation
            views[index].census.change(slot, from: before, to: word) { table, census in
                words.storeCensus(generation: generation, table: table, census)
            }
        }
    }

    // MARK: - What outlives the process

    /// Hands to the journal what it does not know yet, as one.
    func write() {
        guard !isHeld, !unwritten.transitions.isEmpty || !unwritten.nodes.isEmpty else { return }
        var nodes: [String: KeptNode?] = [:]
        for id in unwritten.nodes { if let entry = entries[id] { nodes[id] = kept(entry) } }
        journal.write(unwritten.transitions.map { JournalRecord($0) }, nodes: nodes)
        unwritten = ([], [])
    }

    private func kept(_ entry: Entry) -> KeptNode {
        KeptNode(slot: entry.node.slot, changedAt: entry.changedAt, fleet.nodes[entry.node.id], setBy: entry.setBy)
    }
}
