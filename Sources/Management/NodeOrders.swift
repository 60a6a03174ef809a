import Access
import ControlFailures
import ControlPlane
import Foundation
import Health
import HealthChecks
import ManagementTypes
import VisibleText

/// The orders of the API, as the control plane understands them.
extension NodeStateChange {
    private static let longest = 366 * 86_400

    /// The change with the author that is recorded: the caller, and what it says about itself and its reasons.
    ///
    /// - Throws: `invalid` if that may not be recorded.
    func signed(by caller: Caller) throws(ControlFailure) -> NodeStateChange {
        try Remark.require(("author", author), ("reason", reason))
        var change = self
        (change.author, change.reason) = (caller.author(remarks: author, reason), nil)
        return change
    }

    /// Of a change that is signed.
    func order() throws(ControlFailure) -> NodeOrder { NodeOrder(claim: try claim(), force: force ?? false) }

    /// The override; `nil`: none any more.
    private func claim() throws(ControlFailure) -> Claim? {
        if let seconds = forSeconds, !(1...Self.longest).contains(seconds) {
            throw ControlFailure(
                .invalid, "a state for \(seconds) seconds",
                remedy: "give 1 to \(Self.longest) seconds, which is 366 days")
        }
        if let start = startsAt, abs(start.timeIntervalSinceNow) > Double(Self.longest) {
            throw ControlFailure(.invalid, "a start more than 366 days from now", remedy: "give a nearer one")
        }
        let author = author ?? "a person"
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
