import Health
import Yams

/// `health.load`: when a node has too many clients.
extension ConfigurationReader {
    private static let loadKeys = ["shed_above", "back_below", "step", "settle"]

    /// Reads `load` of a `health`, wherever it stands.
    mutating func load(_ outer: Fields) -> HealthDraft.Load? {
        guard let node = outer["load"] else { return nil }
        if node.scalar?.string == "off" { return HealthDraft.Load(isOff: true, mark: node.place) }
        guard
            let fields = fields(
                node, name: outer.name("load"), prefix: outer.prefix + "load.", owner: outer.owner,
                known: Self.loadKeys)
        else { return nil }
        func percent(_ key: String, _ range: ClosedRange<Int>) -> Int? {
            fields[key].flatMap { integer($0, name: fields.name(key), in: range, unit: "percent") }
        }
        let settle = fields["settle"].flatMap {
            duration($0, name: fields.name("settle"), in: 1_000...600_000)
        }
        return HealthDraft.Load(
            shedAbove: percent("shed_above", 2...1_000), backBelow: percent("back_below", 1...999),
            step: percent("step", 1...100), settle: settle, mark: fields.mark)
    }

    /// What it comes to for a node; `nil` where nothing is said, or it is off.
    mutating func loadRules(of node: NodeSettings, _ draft: HealthDraft.Load?) -> LoadRules? {
        guard let draft, !draft.isOff else { return nil }
        let standard = LoadRules()
        let (above, below) = (draft.shedAbove ?? standard.shedAbove, draft.backBelow ?? standard.backBelow)
        guard below < above else {
            report(
                draft.mark,
                "the load of node \(Spelling.quoted(node.id)) has back_below \(below) and shed_above \(above) percent, "
                    + "expected back_below to be less: change one of them")
            return nil
        }
        let full = HealthState.fullShare
        return LoadRules(
            shedAbove: above, backBelow: below, step: draft.step.map { max(1, $0 * full / 100) } ?? standard.step,
            settleMilliseconds: draft.settle.map(Int64.init) ?? standard.settleMilliseconds, capacity: node.capacity)
    }
}

extension HealthDraft {
    /// What one `load` says.
    struct Load {
        var isOff = false
        var shedAbove: Int?
        var backBelow: Int?
        /// Percent.
        var step: Int?
        /// Milliseconds.
        var settle: Int?
        let mark: SourceMark

        /// What is not said here is as in `outer`.
        func within(_ outer: Load?) -> Load {
            guard !isOff, let outer, !outer.isOff else { return self }
            return Load(
                shedAbove: shedAbove ?? outer.shedAbove, backBelow: backBelow ?? outer.backBelow,
                step: step ?? outer.step, settle: settle ?? outer.settle, mark: mark)
        }
    }
}
