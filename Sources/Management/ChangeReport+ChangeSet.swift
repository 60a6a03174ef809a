import ControlPlane
import DNSWire
import IPNetworks
import ManagementTypes
import Simulation

extension ChangeReport {
    init(_ set: ChangeSet, withPlan: Bool = true) {
        self.init(
            number: set.number, state: State(set.state), plannedAt: set.plannedAt, author: set.author,
            reason: set.reason, closedAt: set.closedAt, closedBy: set.closedBy,
            guards: set.plan.guards.map { Guard(name: $0.guard.rawValue, measure: $0.measure) },
            accepted: set.state == .applied ? set.accepted.map(\.rawValue) : nil, epoch: set.epoch,
            plan: withPlan ? Plan(set.plan) : nil)
    }
}

extension ChangeReport.State {
    fileprivate init(_ state: ChangeSet.State) {
        switch state {
        case .planned: self = .planned
        case .applying: self = .applying
        case .applied: self = .applied
        case .stale: self = .stale
        case .withdrawn: self = .withdrawn
        }
    }
}

extension ChangeReport.Plan {
    fileprivate init(_ plan: ChangePlan) {
        self.init(
            changes: ManagementTypes.ReloadPreview(plan.preview),
            effect: plan.effect.parts.map { ChangeReport.Effect($0) }, unmeasured: plan.effect.unmeasured,
            readdressed: plan.effect.readdressed, effectSeconds: plan.effectSeconds)
    }
}

extension ChangeReport.Effect {
    private static let namesShown = 10
    private static let movesShown = 1_000

    fileprivate init(_ part: ChangeEffect.Part) {
        let nodes = Set(part.before.nodes.keys).union(part.after.nodes.keys).map { node in
            ChangeReport.Node(
                node: node, before: part.share(part.before.nodes[node] ?? 0),
                after: part.share(part.after.nodes[node] ?? 0))
        }
        let moves = part.moves.map { ChangeReport.Move(from: $0.key.from, to: $0.key.to, share: part.share($0.value)) }
        self.init(
            names: part.names.prefix(Self.namesShown).map { "\($0)" }, count: part.names.count,
            type: part.family == .v4 ? "A" : "AAAA", clients: part.clients, moved: part.share(part.moved),
            cut: part.share(part.cut),
            nodes: nodes.sorted { ($1.after, $1.before, $0.node) < ($0.after, $0.before, $1.node) },
            before: .init(part.before), after: .init(part.after),
            moves: Array(
                moves.sorted { ($1.share, $0.from ?? "", $0.to ?? "") < ($0.share, $1.from ?? "", $1.to ?? "") }
                    .prefix(Self.movesShown)))
    }
}

extension ChangeReport.Distance {
    fileprivate init(_ side: ChangeEffect.Side) { self.init(mean: side.meanKilometres, p95: side.p95Kilometres) }
}
