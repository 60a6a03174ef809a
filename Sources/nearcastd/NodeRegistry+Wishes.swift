import ControlAPI
import Foundation
import Health
import HealthChecks

/// What people ask for.
extension NodeRegistry {
    private static let longest = 366 * 86_400

    /// Sets a node's state, by a person.
    func set(_ id: String, to change: NodeStateChange) throws(ControlFailure) -> NodeReport {
        let start = ContinuousClock.now
        try requireFree()
        guard entries[id] != nil else {
            throw ControlFailure(
                .notFound, "there is no node \"\(id)\"", remedy: "`nearcast node list` shows the nodes")
        }
        let effect: Fleet.Effect?
        if let claim = try Self.claim(change) {
            do throws(Fleet.LastOfPools) {
                effect = try fleet.make(claim, of: id, force: change.force ?? false, at: .now)
            } catch {
                throw ControlFailure(
                    .conflict,
                    "node \(id) is the last usable node of pool\(error.pools.count == 1 ? "" : "s") "
                        + error.pools.joined(separator: ", "), remedy: "bring another node up first, or use --force")
            }
        } else {
            effect = fleet.withdraw(.person, of: id, at: .now)
        }
        let told = apply(effect.map { [$0] } ?? [])
        if let claim = fleet.nodes[id]?.claim(at: .now) { entries[id]?.setBy = claim.author }
        if change.state != .maintenance { entries[id]?.changedAt = Date() }
        do { try save() } catch {
            throw ControlFailure(
                .internal,
                "node \(id) is \(fleet.nodes[id]?.condition.state.rawValue ?? "") now, but that could not be kept: "
                    + "\(error)",
                remedy: "make \(stateFile.path) writable, or the state is forgotten at the next start")
        }
        guard let entry = entries[id] else { throw ControlFailure(.notFound, "there is no node \"\(id)\"") }
        var report = report(entry)
        let took = told - start
        report.tookMicroseconds = Double(took.components.attoseconds) * 1e-12 + Double(took.components.seconds) * 1e6
        return report
    }

    /// What a wish claims; `nil`: nothing any more.
    private static func claim(_ change: NodeStateChange) throws(ControlFailure) -> Claim? {
        for text in [change.author, change.reason].compactMap(\.self) {
            // Both go into the log, the journal and the state file.
            guard text.utf8.count <= 256,
                !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else {
                throw ControlFailure(
                    .invalid, "author and reason are at most 256 bytes each, without control characters",
                    remedy: "give a short text on one line")
            }
        }
        if let seconds = change.forSeconds, !(1...longest).contains(seconds) {
            throw ControlFailure(
                .invalid, "a state for \(seconds) seconds", remedy: "give 1 to \(longest) seconds, which is 366 days")
        }
        if let start = change.startsAt, abs(start.timeIntervalSinceNow) > Double(longest) {
            throw ControlFailure(.invalid, "a start more than 366 days from now", remedy: "give a nearer one")
        }
        let author = [change.author ?? "a person", change.reason].compactMap(\.self).joined(separator: ": ")
        let length = change.forSeconds.map { Int64($0) * 1_000 }
        let state: HealthState
        switch change.state {
        case .up: state = .up
        case .down: state = .down
        case .drained: state = .drained
        case .auto: return nil
        case .maintenance:
            guard let length else {
                throw ControlFailure(
                    .invalid, "maintenance without an end", remedy: "say how long it takes: forSeconds, or --for 2h")
            }
            let begins = change.startsAt.map { Moment($0) } ?? .now
            return Claim(.person, .maintenance, begins: begins, ends: begins + length, author: author)
        }
        guard change.startsAt == nil else {
            throw ControlFailure(
                .invalid, "only maintenance begins later", remedy: "leave startsAt out, or ask for maintenance")
        }
        return Claim(.person, state, ends: length.map { .now + $0 }, author: author)
    }
}
