import CFastPathABI
import ControlAPI
import Foundation
import Health
import HealthChecks
import IPNetworks
import Logging
import Serving
import Steering

/// The nodes' states: the one writer of the node words.
///
/// A change is one store, and the next packet of either path follows it. The census is told after a node that leaves
/// and before one that returns, so that a packet in between declines rather than takes the pool for dead.
///
///     results ─┐
///     wishes ──┼──► fleet (pure) ──► word, census ──► journal, watchers, state file
///     time ────┘
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
    }

    private let words: NodeWords
    let stateFile: StateFile
    let logger: Logger
    /// States of an earlier run, by id hash: for nodes that nobody set.
    private var earlier: [UInt64: UInt64]
    /// The generation in use, and behind it the one being made. A change goes to the census of both.
    private var views: [View] = []
    /// The nodes of all views.
    var entries: [String: Entry] = [:]
    /// What is known of their health.
    var fleet = Fleet()
    /// What is kept of nodes that are in no view: they may come back.
    private var departed: [String: StateFile.Node]
    /// A successor has read the states, and writes them from now on.
    private var isHeld = false
    let log: TransitionLog
    /// Number of the model in use.
    private var epoch: UInt64 = 0
    /// States have changed that the state file does not know yet.
    private var isUnsaved = false
    /// When what could not be saved is tried again.
    private var saveAgain: ContinuousClock.Instant?
    private static let saveInterval = Duration.seconds(10)
    /// Pools without a usable node, of which has been told.
    private var emptyPools: Set<String> = []
    private var heldNodes: [String] = []

    /// - Parameters:
    ///   - kept: what the state file says.
    ///   - earlier: words of an earlier run by the hash of the node's id.
    init(
        words: NodeWords, stateFile: StateFile, kept: [String: StateFile.Node], earlier: [UInt64: UInt64],
        log: TransitionLog, logger: Logger
    ) {
        self.logger = logger
        self.words = words
        self.stateFile = stateFile
        self.earlier = earlier
        self.log = log
        departed = kept
    }

    // MARK: - Models

    /// Makes words and census ready for a model that is to be served from `generation`. The model in use is not
    /// disturbed: its nodes keep their words, and new ones have slots that it does not name.
    ///
    /// A new node's first word is what a person set and the state file kept, else what the words of an earlier run say,
    /// else unknown where something checks it, else up.
    func prepare(_ steering: SteeringTables, _ plan: HealthPlan, generation: Int) {
        for node in steering.nodes where entries[node.id] == nil {
            let kept = departed.removeValue(forKey: node.id)
            let word = earlier[node.idHash]
            let rules = plan.rules[node.id] ?? HealthRules()
            let known = NodeHealth.Known(kept, earlier: word, isChecked: !rules.checks.isEmpty)
            let health = NodeHealth(rules, known: known, at: .now)
            fleet.add(node.id, health)
            entries[node.id] = Entry(node: node, changedAt: kept?.changedAt, setBy: kept?.setBy)
            words.storeIDHash(node.slot, node.idHash)
            words.store(node.slot, health.condition.word(version: word.map(nc_word_version) ?? 0))
        }
        let view = View(steering: steering, generation: generation)
        views.append(view)
        storeCensus(view, word: words.word)
    }

    /// The prepared model is the one in use now, and no packet reads the one before. Keeps the new nodes' slots.
    func commit(epoch: UInt64) {
        self.epoch = epoch
        views.removeFirst(views.count - 1)
        for node in views[0].steering.nodes { entries[node.id]?.node = node }
        forgetOthers()
        // Of use to the first model only.
        earlier = [:]
        do { try save() } catch {
            logger.warning("states of nodes will not outlive this process", metadata: ["error": "\(error)"])
        }
    }

    /// The prepared model will not be used.
    func abandon() {
        views.removeLast()
        forgetOthers()
    }

    /// Lets go of nodes that no view has.
    private func forgetOthers() {
        let named = Set(views.flatMap { $0.steering.nodes.map(\.id) })
        for (id, entry) in entries where !named.contains(id) {
            departed[id] = kept(entry)
            entries[id] = nil
            fleet.remove(id)
        }
        // There are no more slots to be kept; what a person set is kept always.
        if departed.count > Int(NC_MAX_NODES) { departed = departed.filter { $0.value.state != nil } }
    }

    /// Judges nodes by other rules from now on.
    ///
    /// - Returns: whether anything is other than before, and what is to be asked of each node.
    func use(_ plan: HealthPlan) -> (changed: Bool, probes: [String: [Check]]) {
        let before = (fleet.brake, fleet.pools)
        fleet.brake = plan.brake
        fleet.use(plan.pools)
        fleet.use(plan.regions)
        var changed = before.0 != fleet.brake
        var probes: [String: [Check]] = [:]
        for id in Array(entries.keys) {
            let rules = plan.rules[id] ?? HealthRules()
            changed = changed || fleet.nodes[id]?.rules != rules
            if let effect = fleet.use(rules, for: id, at: .now) { apply([effect]) }
            if var entry = entries[id] {
                entry.results = entry.results.filter { rules.checks.contains($0.key) }
                entries[id] = entry
            }
            if !rules.checks.isEmpty { probes[id] = rules.checks }
        }
        watchPools(fleet.pools)
        return (changed, probes)
    }

    // MARK: - From one process to the next

    /// Changes no state until `release`: a successor takes over, and reads what is kept.
    func hold() {
        if isUnsaved { try? save() }
        isHeld = true
    }

    func release() { isHeld = false }

    func requireFree() throws(ControlFailure) {
        if isHeld { throw ControlCenter.isHandingOver }
    }

    /// Nobody waits for changes any more.
    func close() {
        log.close()
        if isUnsaved, !isHeld { try? save() }
    }

    // MARK: - Results and time

    /// A check has come to a result.
    func take(_ report: ProbeReport) {
        guard !isHeld, entries[report.node] != nil else { return }
        entries[report.node]?.results[report.check] = report
        let result = report.outcome.result
        guard result != .unasked,
            let effect = fleet.take(
                passed: result == .passed, of: report.check, of: report.node, at: report.at)
        else { return }
        apply([effect], evidence: "\(report.check): \(report.outcome.evidence)")
    }

    /// Lets time pass; a few times a second.
    func tick() {
        guard !isHeld else { return }
        apply(fleet.advance(to: .now))
        let held = fleet.held
        if held != heldNodes {
            if held.count > heldNodes.count {
                logger.error(
                    "too many nodes fail at once: those held here are answered on until another kind of check confirms",
                    metadata: ["nodes": "\(held.prefix(8).joined(separator: " "))", "count": "\(held.count)"])
            }
            heldNodes = held
        }
        guard isUnsaved, saveAgain.map({ ContinuousClock.now >= $0 }) ?? true else { return }
        do { try save() } catch {
            saveAgain = .now + Self.saveInterval
            logger.warning("states of nodes could not be saved", metadata: ["error": "\(error)"])
        }
    }

    // MARK: - Words

    /// Tells packets, then everybody else.
    ///
    /// - Returns: when packets saw it.
    @discardableResult
    func apply(_ effects: [Fleet.Effect], evidence: String? = nil) -> ContinuousClock.Instant {
        for effect in effects {
            guard let slot = entries[effect.node]?.node.slot else { continue }
            let before = words.word(slot)
            let word = effect.condition.word(version: (nc_word_version(before) + 1) & 0xffff)
            let (left, right) = (Self.rank(before), Self.rank(word))
            if right > left { updateCensus(slot, as: word) }
            words.store(slot, word)
            if right < left { updateCensus(slot, as: word) }
        }
        let told = ContinuousClock.now
        for effect in effects {
            guard let transition = effect.transition else { continue }
            note(transition, of: effect.node, evidence)
        }
        return told
    }

    private func note(_ transition: Transition, of id: String, _ evidence: String?) {
        let now = Date()
        entries[id]?.changedAt = now
        entries[id]?.setBy = transition.author
        let report = TransitionReport(
            sequence: log.latest + 1, time: now, node: id, from: NodeState(transition.from),
            to: NodeState(transition.to), cause: transition.cause.rawValue, authority: "\(transition.authority)",
            evidence: evidence, author: transition.author, epoch: epoch)
        do { try log.add(report) } catch {
            logger.warning("the journal cannot be written", metadata: ["error": "\(error)"])
        }
        isUnsaved = true
        logger.notice(
            "node \(transition.to.rawValue)",
            metadata: [
                "node": "\(id)", "before": "\(transition.from.rawValue)", "cause": "\(transition.cause.rawValue)",
                "evidence": "\(evidence ?? "")", "by": "\(transition.author ?? "")",
            ])
        watchPools(fleet.pools(of: id))
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

    /// Writes the census of every table as it is with `word` in `slot`.
    private func updateCensus(_ slot: Int, as word: UInt64) {
        for view in views { storeCensus(view) { $0 == slot ? word : self.words.word($0) } }
    }

    private func storeCensus(_ view: View, word: (Int) -> UInt64) {
        for table in view.steering.tables.indices {
            words.storeCensus(
                generation: view.generation, table: table, view.steering.census(of: table, word: word))
        }
    }

    // MARK: - What outlives the process

    func save() throws {
        try stateFile.save(departed.merging(entries.mapValues(kept)) { $1 })
        isUnsaved = false
        saveAgain = nil
    }

    private func kept(_ entry: Entry) -> StateFile.Node {
        StateFile.Node(
            slot: entry.node.slot, changedAt: entry.changedAt, fleet.nodes[entry.node.id], setBy: entry.setBy)
    }
}
