import CFastPathABI
import ControlAPI
import Foundation
import Health
import HealthChecks

/// Times of people and of the machine, as far apart as they are now.
extension Moment {
    init(_ date: Date) { self = .now + Int64((date.timeIntervalSinceNow * 1_000).rounded()) }

    var date: Date { Date(timeIntervalSinceNow: Double(self - .now) / 1_000) }
}

extension StateFile.Node {
    init(slot: Int, changedAt: Date?, _ health: NodeHealth?, setBy: String?) {
        let wish = health?.claims.first { $0.authority == .person && !$0.isWindow }
        let windows = (health?.claims ?? []).compactMap { claim -> StateFile.Window? in
            guard let begins = claim.begins, let ends = claim.ends else { return nil }
            return StateFile.Window(begins: begins.date, ends: ends.date, setBy: claim.author)
        }
        self.init(
            slot: slot, state: wish?.state.rawValue, setBy: wish?.author ?? setBy, changedAt: changedAt,
            until: wish?.ends?.date, windows: windows.isEmpty ? nil : windows,
            checks: health.flatMap { $0.rules.checks.isEmpty ? nil : $0.verdict.rawValue })
    }
}

extension NodeHealth.Known {
    /// - Parameters:
    ///   - earlier: the word of an earlier run, which is younger than the file.
    ///   - isChecked: whether anything will say how the node is.
    init(_ kept: StateFile.Node?, earlier: UInt64?, isChecked: Bool) {
        self.init()
        if let state = kept?.state.flatMap(HealthState.init(rawValue:)) {
            let ends = kept?.until.map { Moment($0) }
            if ends.map({ $0 > .now }) ?? true {
                claims.append(Claim(.person, state, ends: ends, author: kept?.setBy ?? "a person"))
            }
        }
        for window in kept?.windows ?? [] where window.ends > Date() {
            claims.append(
                Claim(
                    .person, .maintenance, begins: Moment(window.begins), ends: Moment(window.ends),
                    author: window.setBy))
        }
        verdict = kept?.checks.flatMap(CheckRecord.Verdict.init(rawValue:)) ?? .unknown
        // What the word of one with a claim says is the claim's, which may have ended meanwhile.
        guard let earlier, kept?.state == nil else { return }
        switch NodeState(word: earlier) {
        case .up: (verdict, share) = (.up, Int(nc_word_share(earlier)))
        // Load or region had lowered it.
        case .degraded: (verdict, limit) = (.up, max(1, Int(nc_word_share(earlier))))
        case .down where isChecked || kept?.checks != nil: verdict = .down
        case .down: claims.append(Claim(.person, .down, author: "an earlier run"))
        case .drained: claims.append(Claim(.person, .drained, author: "an earlier run"))
        case .unknown, .maintenance: break
        }
    }
}
