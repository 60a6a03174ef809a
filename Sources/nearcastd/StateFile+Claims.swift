import CFastPathABI
import ControlAPI
import Foundation
import Health
import HealthChecks

/// Claims of nodes, agents and programs, from one process to the next.
extension StateFile.Node {
    static func claims(_ health: NodeHealth?) -> [StateFile.OtherClaim]? {
        let claims = (health?.claims ?? []).filter { $0.authority != .person && !$0.isWindow }
        guard !claims.isEmpty else { return nil }
        return claims.map {
            StateFile.OtherClaim(
                authority: $0.authority.rawValue, state: $0.state.rawValue, share: $0.share, ends: $0.ends?.date,
                setBy: $0.author)
        }
    }

    /// The claims that hold still.
    ///
    /// The file is not written when a claim is made once more, as nodes do with every report. One that seems to be over,
    /// and that packets were told of until now, is good for another while, in which it can be made again.
    ///
    /// - Parameter earlier: the node's word of an earlier run.
    func otherClaims(_ earlier: UInt64?) -> [Claim] {
        (claims ?? []).compactMap { kept in
            guard let authority = Authority(rawValue: kept.authority), authority != .person,
                let state = HealthState(rawValue: kept.state), state != .unknown
            else { return nil }
            var ends = kept.ends.map { Moment($0) }
            if let end = ends, end <= .now + Statements.standardLength {
                let isTold = earlier.map { NodeState(word: $0) == NodeState(state) } ?? false
                guard isTold || end > .now else { return nil }
                if isTold { ends = .now + Statements.standardLength }
            }
            return Claim(authority, state, share: kept.share, ends: ends, author: kept.setBy)
        }
    }
}
