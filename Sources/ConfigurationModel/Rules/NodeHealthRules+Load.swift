import Health

/// When a node is overloaded.
extension NodeHealthRules {
    /// The resulting rules for a node. `nil` if there are none, or it is off.
    func loadRules(of node: NodeSettings, _ draft: HealthDraft.Load?) -> LoadRules? {
        guard let draft, !draft.isOff else { return nil }
        let standard = LoadRules()
        let (above, below) = (draft.shedAbove ?? standard.shedAbove, draft.backBelow ?? standard.backBelow)
        guard below < above else {
            report(
                draft.mark,
                "the load of node \(Spelling.quoted(node.id)) has back_below \(below) and shed_above \(above) percent, "
                    + "expected back_below to be less",
                remedy: "change one of them")
            return nil
        }
        let full = HealthState.fullShare
        return LoadRules(
            shedAbove: above, backBelow: below, step: draft.step.map { max(1, $0 * full / 100) } ?? standard.step,
            settleMilliseconds: draft.settle.map(Int64.init) ?? standard.settleMilliseconds, capacity: node.capacity)
    }
}

extension HealthDraft {
    /// The values of one `load`.
    struct Load {
        var isOff = false
        var shedAbove: Int?
        var backBelow: Int?
        /// Percent.
        var step: Int?
        /// Milliseconds.
        var settle: Int?
        let mark: DocumentLocation

        /// Missing values are taken from `outer`.
        func within(_ outer: Load?) -> Load {
            guard !isOff, let outer, !outer.isOff else { return self }
            return Load(
                shedAbove: shedAbove ?? outer.shedAbove, backBelow: backBelow ?? outer.backBelow,
                step: step ?? outer.step, settle: settle ?? outer.settle, mark: mark)
        }
    }
}
