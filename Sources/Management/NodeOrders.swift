import Access
import ControlFailures
import ControlPlane
import Foundation
import Health
import HealthChecks
import ManagementTypes
import VisibleText

/// Changes of nodes from the API, as orders of the control plane.
extension NodeStateChange {
    private static let longest = 366 * 86_400

    /// The change with the author to record: the caller, then what the request says about its author and reason.
    ///
    /// - Throws: `invalid` if that may not be recorded.
    func signed(by caller: Caller) throws(ControlFailure) -> NodeStateChange {
        try Remark.require(("author", author), ("reason", reason))
        var change = self
        (change.author, change.reason) = (caller.author(remarks: author, reason), nil)
        return change
    }

    /// The order of a signed change.
    func order() throws(ControlFailure) -> NodeOrder {
        NodeOrder(claim: try claim(), force: force ?? false, author: author ?? "a person")
    }

    /// The override; `nil` withdraws all.
    private func claim() throws(ControlFailure) -> Claim? {
        if let seconds = forSeconds, !(1...Self.longest).contains(seconds) {
            throw ControlFailure(
                .invalid, "forSeconds is \(seconds)",
                remedy: "give 1 to \(Self.longest) seconds, which is 366 days")
        }
        if let start = startsAt, abs(start.timeIntervalSinceNow) > Double(Self.longest) {
            throw ControlFailure(.invalid, "startsAt is more than 366 days from now", remedy: "give an earlier one")
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
                    .invalid, "maintenance without an end", remedy: "give its length: forSeconds, or --for 2h")
            }
            let begins = startsAt.map { Moment($0) } ?? .now
            guard begins + length > .now else {
                throw ControlFailure(
                    .invalid, "this maintenance is already over", remedy: "give a later start, or a longer time")
            }
            return Claim(
                .person, .maintenance, begins: begins, ends: begins + length, author: author,
                isForced: force ?? false)
        }
        guard startsAt == nil else {
            throw ControlFailure(
                .invalid, "only maintenance can begin later", remedy: "leave startsAt out, or ask for maintenance")
        }
        return Claim(.person, wanted, ends: length.map { .now + $0 }, author: author)
    }
}

extension NodesStateChange {
    /// The nodes that are meant.
    func selection() throws(ControlFailure) -> NodeSelection {
        guard [nodes != nil, pool != nil, all == true].count(where: \.self) == 1 else {
            throw ControlFailure(
                .invalid, "the nodes are missing, or given twice", remedy: "give one of nodes, pool and all")
        }
        if let nodes { return .nodes(nodes) }
        return pool.map { .pool($0) } ?? .all
    }
}
