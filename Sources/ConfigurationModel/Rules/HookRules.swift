import Health

/// `health.hooks`: programs that run when nodes change their state.
struct HookRules: ValueRules {
    let context: RuleContext

    func hooks(_ health: ServerHealthDeclaration, _ outer: Scope) -> [HookSettings] {
        guard !health.hooks.isAbsent else { return [] }
        guard let list = health.hooks.located else { return [] }
        requireElements(list.value, at: list.location, outer.name("hooks"), .hooks)
        let elements = list.value.compactMap(\.located)
        limit(elements, to: 16, outer.name("hooks"), of: "hook")
        return list.value.enumerated().compactMap { index, element in
            element.located.flatMap { element in
                hook(element.value, Scope(outer.subject.hook(index + 1), at: element.location))
            }
        }
    }

    private func hook(_ declared: HookDeclaration, _ scope: Scope) -> HookSettings? {
        let timeout = duration(declared.timeout, scope.name("timeout"), .timeout)
        let command = CommandRules(context: context).command(run: declared.run, user: declared.user, scope)
        var states = Set(HealthState.allCases)
        if !declared.on.isAbsent {
            guard let elements = list(declared.on, "on", .hookStates, in: scope) else { return nil }
            states = Set(elements.compactMap { state($0, scope) })
        }
        return command.map {
            HookSettings(command: $0, states: states, timeoutMilliseconds: Int64(timeout ?? 10_000))
        }
    }

    private func state(_ element: Located<String>, _ scope: Scope) -> HealthState? {
        if let state = HealthState(rawValue: element.value) { return state }
        let known = HealthState.allCases.map(\.rawValue).joined(separator: ", ")
        report(
            element.location,
            "an entry of \(scope.name("on")) is \(Spelling.quoted(element.value)), expected one of \(known)",
            remedy: "write it like on: [up, down]")
        return nil
    }
}
