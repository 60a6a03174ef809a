import ControlAPI
import ControlPlane
import Foundation
import Health
import HealthChecks
import VisibleText

/// The orders of the API, as the control plane understands them.
extension NodeStateChange {
    private static let longest = 366 * 86_400

    /// - Parameter author: who orders it.
    func order() throws(ControlFailure) -> NodeOrder { NodeOrder(claim: try claim(), force: force ?? false) }

    /// The override; `nil`: none any more.
    private func claim() throws(ControlFailure) -> Claim? {
        for text in [author, reason].compactMap(\.self) {
            guard Remark.isSound(text) else {
                throw ControlFailure(
                    .invalid, "author and reason are each \(Remark.rule)", remedy: "give a short text on one line")
            }
        }
        if let seconds = forSeconds, !(1...Self.longest).contains(seconds) {
            throw ControlFailure(
                .invalid, "a state for \(seconds) seconds",
                remedy: "give 1 to \(Self.longest) seconds, which is 366 days")
        }
        if let start = startsAt, abs(start.timeIntervalSinceNow) > Double(Self.longest) {
            throw ControlFailure(.invalid, "a start more than 366 days from now", remedy: "give a nearer one")
        }
        let author = [author ?? "a person", reason].compactMap(\.self).joined(separator: ": ")
        let length = forSeconds.map { Int64($0) * 1_000 }
        let wanted: HealthState
        switch state {
        case .up: wanted = .up
        case .down: wanted = .down
        case .drained: wanted = .drained
        case .auto: return nil
        case .maintenance:
            guard let length else {
                throw ControlFailure(
                    .invalid, "maintenance without an end", remedy: "say how long it takes: forSeconds, or --for 2h")
            }
            let begins = startsAt.map { Moment($0) } ?? .now
            guard begins + length > .now else {
                throw ControlFailure(
                    .invalid, "this maintenance is over already", remedy: "give a later start, or a longer time")
            }
            return Claim(
                .person, .maintenance, begins: begins, ends: begins + length, author: author,
                isForced: force ?? false)
        }
        guard startsAt == nil else {
            throw ControlFailure(
                .invalid, "only maintenance begins later", remedy: "leave startsAt out, or ask for maintenance")
        }
        return Claim(.person, wanted, ends: length.map { .now + $0 }, author: author)
    }
}

extension NodesStateChange {
    /// Which nodes are meant.
    func selection() throws(ControlFailure) -> NodeSelection {
        guard [nodes != nil, pool != nil, all == true].count(where: \.self) == 1 else {
            throw ControlFailure(
                .invalid, "one of nodes, pool and all says which nodes are meant", remedy: "give one of them")
        }
        if let nodes { return .nodes(nodes) }
        return pool.map { .pool($0) } ?? .all
    }
}
