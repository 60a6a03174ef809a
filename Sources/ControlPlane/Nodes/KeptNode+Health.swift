import CFastPathABI
package import Foundation
package import Health
import HealthChecks
package import IPNetworks
package import StateStore
import Steering

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
            slot: slot, verdict: health.flatMap { $0.rules.checks.isEmpty ? nil : KeptVerdict($0).text },
            changedAt: changedAt?.microseconds, setBy: wish?.author ?? setBy,
            claims: (health?.claims ?? []).map { KeptClaim($0) })
    }

    /// Whether an operator or an automation wants a state of it: that is kept even when the node is gone.
    var isWished: Bool { claims.compactMap { Claim($0) }.contains { $0.authority >= .automation } }
}

extension NodeHealth.Known {
    /// - Parameters:
    ///   - words: of an earlier run, which are younger than what is kept.
    ///   - isChecked: whether anything will say how the node is.
    init(_ kept: KeptNode?, earlier words: WordsOfNode?, isChecked: Bool) {
        self.init()
        claims = (kept?.claims ?? []).compactMap { Claim($0) }
        let known = kept?.verdict.flatMap { KeptVerdict($0) }
        (verdict, verdicts) = (known?.verdict ?? .unknown, known?.families ?? [:])
        // With a claim, the word shows the claim, which may have ended meanwhile.
        guard let words, kept?.claims.contains(where: { $0.begins == nil }) != true else { return }
        let earlier = words.any
        defer {
            for family in IPFamily.allCases where words[family] != earlier {
                let other = CheckRecord.Verdict(HealthState(word: words[family]))
                if let other, isChecked { verdicts[family] = other }
            }
        }
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

/// The verdicts of a node's families, as one text: `up`, or `IPv4 up, IPv6 down` where they differ.
package struct KeptVerdict {
    package let verdict: CheckRecord.Verdict
    package let families: [IPFamily: CheckRecord.Verdict]

    init(_ health: NodeHealth) {
        verdict = health.verdict
        var families: [IPFamily: CheckRecord.Verdict] = [:]
        for one in health.families { if let family = one.family { families[family] = one.verdict } }
        self.families = Set(families.values).count > 1 ? families : [:]
    }

    /// `nil`: it has words that this version does not know.
    package init?(_ text: String) {
        var families: [IPFamily: CheckRecord.Verdict] = [:]
        for part in text.split(separator: ",") {
            let words = part.split(separator: " ")
            guard let last = words.last, let verdict = CheckRecord.Verdict(rawValue: String(last)) else { return nil }
            guard words.count == 2 else {
                (self.verdict, self.families) = (verdict, [:])
                return
            }
            guard let family = IPFamily.allCases.first(where: { $0.name == words[0] }) else { return nil }
            families[family] = verdict
        }
        let all = families.values
        verdict = all.contains(.up) ? .up : all.contains(.unknown) ? .unknown : .down
        self.families = families
    }

    var text: String {
        guard !families.isEmpty else { return verdict.rawValue }
        return families.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.key.name) \($0.value.rawValue)" }.joined(separator: ", ")
    }
}

extension CheckRecord.Verdict {
    /// What the checks said, if a state shows that.
    fileprivate init?(_ state: HealthState) {
        switch state {
        case .up, .degraded: self = .up
        case .down: self = .down
        case .unknown, .drained, .maintenance: return nil
        }
    }
}

extension NodeTransition {
    /// Without its number and time: the stream of events gives them.
    init(_ transition: Transition, of node: String, evidence: String?, epoch: UInt64) {
        self.init(
            sequence: 0, time: 0, node: node, from: transition.from.rawValue, to: transition.to.rawValue,
            cause: transition.cause.rawValue, authority: "\(transition.authority)", evidence: evidence,
            author: transition.author, epoch: epoch, family: transition.family?.name)
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
