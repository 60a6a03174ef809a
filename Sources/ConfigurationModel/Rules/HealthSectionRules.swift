import Health

/// `health` at the top level, of pools and of nodes.
struct HealthSectionRules: ValueRules {
    let context: RuleContext

    /// The top-level settings of health.
    struct GlobalHealth {
        var draft: HealthDraft
        var brake = Brake()
        var reports: ReportSettings?
        var observers: [String] = []
        var hooks: [HookSettings] = []
    }

    func health(_ declaration: ConfigurationDeclaration, _ root: Scope) -> GlobalHealth {
        guard let located = declaration.health.located else {
            return GlobalHealth(draft: HealthDraft(mark: root.location))
        }
        let (declared, scope) = (located.value, root.nested("health", located))
        let reports = ReportRules(context: context).reports(declared, scope)
        var draft = draft(declared.common, scope)
        draft.missingAfter = reports?.missingAfterMilliseconds
        return GlobalHealth(
            draft: draft, brake: brake(declared, scope) ?? Brake(), reports: reports,
            observers: ReportRules(context: context).observers(declared, scope),
            hooks: HookRules(context: context).hooks(declared, scope))
    }

    /// `health` of a node or a pool. `off` disables checks and load shedding.
    func health(
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

    private func draft(_ declared: HealthDeclaration, _ scope: Scope) -> HealthDraft {
        let pace = HealthDraft.Pace(
            interval: duration(declared.interval, scope.name("interval"), .interval),
            timeout: duration(declared.timeout, scope.name("timeout"), .timeout),
            fall: integer(declared.fall, scope.name("fall"), .results),
            rise: integer(declared.rise, scope.name("rise"), .results))
        var draft = HealthDraft(pace: pace, mark: scope.location)
        draft.slowStart = duration(declared.slowStart, scope.name("slow_start"), .slowStart)
        draft.load = load(declared.load, scope)
        draft.checks = CheckRules(context: context).checks(declared.checks, scope)
        return draft
    }

    /// `load`: when a node is overloaded.
    private func load(_ declared: Declared<Switchable<LoadDeclaration>>, _ outer: Scope) -> HealthDraft.Load? {
        guard let located = declared.located else { return nil }
        guard case .on(let load) = located.value else {
            return HealthDraft.Load(isOff: true, mark: located.location)
        }
        let scope = outer.nested("load", located)
        return HealthDraft.Load(
            shedAbove: integer(load.shedAbove, scope.name("shed_above"), .shedAbove),
            backBelow: integer(load.backBelow, scope.name("back_below"), .backBelow),
            step: integer(load.step, scope.name("step"), .loadStep),
            settle: duration(load.settle, scope.name("settle"), .settle), mark: scope.location)
    }

    private func brake(_ health: ServerHealthDeclaration, _ outer: Scope) -> Brake? {
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
