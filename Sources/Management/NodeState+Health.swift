import ControlPlane
import Health
import ManagementTypes

extension NodeState {
    init(word: UInt64) { self.init(HealthState(word: word)) }

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
