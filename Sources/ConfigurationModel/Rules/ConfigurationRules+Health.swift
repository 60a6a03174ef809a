import Health
import IPNetworks

/// `health` at the top level, of pools and of nodes.
extension ConfigurationRules {
    /// The top-level settings of health.
    struct GlobalHealth {
        var draft: HealthDraft
        var brake = Brake()
        var reports: ReportSettings?
        var observers: [String] = []
    }

    mutating func health(_ declaration: ConfigurationDeclaration, _ root: Scope) -> GlobalHealth {
        guard let located = declaration.health.located else {
            return GlobalHealth(draft: HealthDraft(mark: root.location))
        }
        let (declared, scope) = (located.value, root.nested("health", located))
        let reports = reports(declared, scope)
        var draft = draft(declared.common, scope)
        draft.missingAfter = reports?.missingAfterMilliseconds
        return GlobalHealth(
            draft: draft, brake: brake(declared, scope) ?? Brake(), reports: reports,
            observers: observers(declared, scope))
    }

    /// `health` of a node or a pool. `off` disables checks and load shedding.
    private mutating func health(
        _ declared: Declared<Switchable<HealthDeclaration>>, _ outer: Scope
    ) -> HealthDraft? {
        guard let located = declared.located else { return nil }
        switch located.value {
        case .off:
            let mark = located.location
            return HealthDraft(load: HealthDraft.Load(isOff: true, mark: mark), checks: [], mark: mark)
        case .on(let health): return draft(health, outer.nested("health", located))
        }
    }

    private mutating func draft(_ declared: HealthDeclaration, _ scope: Scope) -> HealthDraft {
        let pace = HealthDraft.Pace(
            interval: duration(declared.interval, scope.name("interval"), .interval),
            timeout: duration(declared.timeout, scope.name("timeout"), .timeout),
            fall: integer(declared.fall, scope.name("fall"), .results),
            rise: integer(declared.rise, scope.name("rise"), .results))
        var draft = HealthDraft(pace: pace, mark: scope.location)
        draft.slowStart = duration(declared.slowStart, scope.name("slow_start"), .slowStart)
        draft.load = load(declared.load, scope)
        draft.checks = checks(declared.checks, scope)
        return draft
    }

    private mutating func brake(_ health: ServerHealthDeclaration, _ outer: Scope) -> Brake? {
        guard let located = health.brake.located else { return nil }
        guard case .on(let declared) = located.value else { return Brake(percent: 100) }
        let (scope, standard) = (outer.nested("brake", located), Brake())
        let percent = integer(declared.percent, scope.name("percent"), .brakePercent)
        let hold = duration(declared.hold, scope.name("hold"), .brakeHold)
        return Brake(
            percent: percent ?? standard.percent,
            holdMilliseconds: hold.map(Int64.init) ?? standard.holdMilliseconds)
    }
}

/// The rules of each node.
extension ConfigurationRules {
    mutating func nodeHealth(
        _ nodes: [NodeSettings], _ nodeEntries: [Entry<NodeDeclaration>], _ pools: [PoolSettings],
        _ poolEntries: [Entry<PoolDeclaration>], _ global: HealthDraft
    ) -> [NodeSettings] {
        var own: [String: HealthDraft] = [:]
        for entry in nodeEntries { own[entry.identifier.value] = health(entry.declaration.health, entry.scope) }
        let pooled = poolEntries.compactMap { entry in
            health(entry.declaration.health, entry.scope).map { (entry.identifier.value, $0) }
        }
        let inherited = inherited(pools, own: own, pooled: pooled)
        return nodes.map { settings in
            let outer = inherited[settings.id].map { $0.draft.within(global) } ?? global
            var settings = settings
            settings.health = rules(of: settings, own[settings.id]?.within(outer) ?? outer)
            return settings
        }
    }

    /// The pools' `health` that applies to their nodes, by node.
    ///
    /// - Parameters:
    ///   - own: the nodes' own settings, by node.
    ///   - pooled: pools with `health`, in declaration order.
    private mutating func inherited(
        _ pools: [PoolSettings], own: [String: HealthDraft], pooled: [(pool: String, draft: HealthDraft)]
    ) -> [String: (pool: String, draft: HealthDraft)] {
        var inherited: [String: (pool: String, draft: HealthDraft)] = [:]
        let members = Dictionary(pools.map { ($0.id, $0.members.map(\.node)) }) { first, _ in first }
        for (pool, draft) in pooled {
            for node in members[pool] ?? [] {
                if let other = inherited[node], own[node] == nil {
                    report(
                        draft.mark,
                        "pools \(Spelling.quoted(other.pool)) and \(Spelling.quoted(pool)) both have health for node "
                            + "\(Spelling.quoted(node)), expected one of them",
                        remedy: "give the node its own health")
                } else {
                    inherited[node] = (pool, draft)
                }
            }
        }
        return inherited
    }

    private mutating func rules(of node: NodeSettings, _ draft: HealthDraft) -> HealthRules {
        let checks = (draft.checks ?? []).compactMap {
            $0.probe == .report ? reportCheck(of: node, $0, draft) : check(of: node, $0, draft.pace)
        }
        requireOneReport(draft.checks ?? [])
        var seen: Set<Check> = []
        return HealthRules(
            checks: checks.filter { seen.insert($0).inserted },
            slowStartMilliseconds: Int64(draft.slowStart ?? 60_000), load: loadRules(of: node, draft.load))
    }

    private static let checkOfNode = "a check of node"

    /// Reports a problem that one declaration causes for many nodes, for the first of them.
    ///
    /// - Parameter beginning: the common beginning of such messages.
    private mutating func reportOnce(
        _ mark: DocumentLocation, _ beginning: String, _ message: String, remedy: String
    ) {
        let isKnown = problems.contains { $0.location == mark && $0.message.hasPrefix(beginning) }
        if !isKnown { report(mark, message, remedy: remedy) }
    }

    private mutating func check(
        of node: NodeSettings, _ draft: HealthDraft.CheckDraft, _ outer: HealthDraft.Pace
    ) -> Check? {
        let pace = draft.pace.within(outer)
        let interval = pace.interval ?? 5_000
        let timeout = pace.timeout ?? min(2_000, interval / 2)
        guard timeout < interval else {
            reportOnce(
                draft.mark, Self.checkOfNode,
                "\(Self.checkOfNode) \(Spelling.quoted(node.id)) has a timeout of \(timeout) ms and an interval of "
                    + "\(interval) ms, expected the timeout to be shorter",
                remedy: "change one of them")
            return nil
        }
        let target = draft.target ?? node.addresses[0]
        if let source = draft.source, source.family != target.family {
            reportOnce(
                draft.mark, Self.checkOfNode,
                "\(Self.checkOfNode) \(Spelling.quoted(node.id)) probes \(target) from \(source), expected addresses of one "
                    + "family",
                remedy: "add an address of the source's family to the check")
            return nil
        }
        return Check(
            draft.probe, target: target, source: draft.source, intervalMilliseconds: Int64(interval),
            timeoutMilliseconds: Int64(timeout), fall: pace.fall ?? 3, rise: pace.rise ?? 5)
    }
}
