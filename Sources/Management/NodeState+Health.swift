import ControlPlane
import Health
import IPNetworks
import ManagementTypes

extension NodeState {
    init(word: UInt64) { self.init(HealthState(word: word)) }

    /// The state of a node, or of one of its families.
    init(_ health: NodeHealth, _ family: IPFamily? = nil) {
        let one = health.families.first { $0.family == family && family != nil }
        let isHeld = one?.isHeld ?? health.families.contains { $0.isHeld }
        self = isHeld ? .held : NodeState(one?.condition.state ?? health.condition.state)
    }

    init(_ state: HealthState) {
        switch state {
        case .up: self = .up
        case .degraded: self = .degraded
        case .down: self = .down
        case .unknown: self = .unknown
        case .drained: self = .drained
        case .maintenance: self = .maintenance
        }
    }
}
