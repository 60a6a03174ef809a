import CFastPathABI
package import Foundation
package import Health
import HealthChecks
package import StateStore

/// Times of people and of the machine, as far apart as they are now.
extension Moment {
    package init(_ date: Date) { self = .now + Int64((date.timeIntervalSinceNow * 1_000).rounded()) }

    package var date: Date { Date(timeIntervalSinceNow: Double(self - .now) / 1_000) }
}

/// Times of the journal.
extension Date {
    /// Microseconds since 1970, UTC.
    package var microseconds: Int64 { Int64((timeIntervalSince1970 * 1e6).rounded()) }

    package init(microseconds: Int64) { self.init(timeIntervalSince1970: Double(microseconds) / 1e6) }
}

extension KeptClaim {
    init(_ claim: Claim) {
        self.init(
            authority: "\(claim.authority)", state: claim.state.rawValue, share: claim.share,
            begins: claim.begins?.date.microseconds, ends: claim.ends?.date.microseconds,
            isForced: claim.isForced, hasBegun: claim.hasBegun, author: claim.author)
    }
}

extension Claim {
    /// `nil`: it is over, or has words that this version does not know.
    init?(_ kept: KeptClaim) {
        guard let authority = Authority.allCases.first(where: { "\($0)" == kept.authority }),
            let state = HealthState(rawValue: kept.state), state != .unknown
        else { return nil }
        if let ends = kept.ends, Date(microseconds: ends) <= Date() { return nil }
        self.init(
            authority, state, share: kept.share, begins: kept.begins.map { Moment(Date(microseconds: $0)) },
            ends: kept.ends.map { Moment(Date(microseconds: $0)) }, author: kept.author, isForced: kept.isForced,
            hasBegun: kept.hasBegun)
    }
}

extension KeptNode {
    init(slot: Int, changedAt: Date?, _ health: NodeHealth?, setBy: String?) {
        let wish = health?.claims.first { $0.authority == .person && !$0.isWindow }
        self.init(
            slot: slot, verdict: health.flatMap { $0.rules.checks.isEmpty ? nil : $0.verdict.rawValue },
            changedAt: changedAt?.microseconds, setBy: wish?.author ?? setBy,
            claims: (health?.claims ?? []).map { KeptClaim($0) })
    }

    /// Whether an operator or an automation wants a state of it: that is kept even when the node is gone.
    var isWished: Bool { claims.compactMap { Claim($0) }.contains { $0.authority >= .automation } }
}

extension NodeHealth.Known {
    /// - Parameters:
    ///   - earlier: the word of an earlier run, which is younger than what is kept.
    ///   - isChecked: whether anything will say how the node is.
    init(_ kept: KeptNode?, earlier: UInt64?, isChecked: Bool) {
        self.init()
        claims = (kept?.claims ?? []).compactMap { Claim($0) }
        verdict = kept?.verdict.flatMap(CheckRecord.Verdict.init(rawValue:)) ?? .unknown
        // With a claim, the word shows the claim, which may have ended meanwhile.
        guard let earlier, kept?.claims.contains(where: { $0.begins == nil }) != true else { return }
        switch HealthState(word: earlier) {
        case .up: (verdict, share) = (.up, Int(nc_word_share(earlier)))
        // Load or region had lowered it.
        case .degraded: (verdict, limit) = (.up, max(1, Int(nc_word_share(earlier))))
        case .down where isChecked || kept?.verdict != nil: verdict = .down
        case .down: claims.append(Claim(.person, .down, author: "an earlier run"))
        case .drained: claims.append(Claim(.person, .drained, author: "an earlier run"))
        // With nothing kept, its end is unknown.
        case .maintenance where kept == nil: claims.append(Claim(.person, .drained, author: "an earlier run"))
        case .unknown, .maintenance: break
        }
    }
}

extension NodeTransition {
    /// Without its number and time: the stream of events gives them.
    init(_ transition: Transition, of node: String, evidence: String?, epoch: UInt64) {
        self.init(
            sequence: 0, time: 0, node: node, from: transition.from.rawValue, to: transition.to.rawValue,
            cause: transition.cause.rawValue, authority: "\(transition.authority)", evidence: evidence,
            author: transition.author, epoch: epoch)
    }
}

extension StateStore {
    /// Writes what is kept of events, with what is kept of their nodes from then on.
    package func write(_ events: [Event]) {
        var transitions: [NodeTransition] = []
        var nodes: [String: KeptNode?] = [:]
        for case .node(let transition, let kept) in events.lazy.map(\.kind) {
            transitions.append(transition)
            nodes[transition.node] = kept
        }
        if !transitions.isEmpty { write(transitions, nodes: nodes) }
    }
}
