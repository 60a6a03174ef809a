import CFastPathABI
import ControlPlane
import IPNetworks
import ManagementTypes
import Steering

extension Explanation {
    /// Why a member is in or out, in words.
    struct Words {
        let key: SteeringKey
        let isOverlay: Bool

        func reason(_ dropped: RankingExplanation.Dropped) -> String {
            switch dropped {
            case .noAddress:
                let family = key.family.map { "\($0.name) " } ?? ""
                return "has no \(family)address" + (isOverlay ? " in the overlay network" : "")
            case .denied(let rule): return "denied by the rule for \(place(rule))"
            case .notAllowed: return "rules allow it for other clients only"
            case .pinnedElsewhere(let rule): return "the rule for \(place(rule)) pins the client to other nodes"
            case .beyondMaximum: return "is farther away than \(key.maximumKilometres ?? 0) km"
            }
        }

        /// - Parameters:
        ///   - draw: 0...255.
        ///   - rule: index of the rule that made it a candidate, where one did.
        func reason(_ word: UInt64, draw: Int, isChosen: Bool, rule: Int?) -> String {
            let state = NodeState(word: word)
            let isOutside = draw >= Int(nc_word_share(word))
            let by = rule.map { ", admitted by the rule for \(place($0))" } ?? ""
            switch (state, isChosen) {
            // The walk without regard to shares: it decides when the walk by shares has found no node.
            case (.up, true) where isOutside, (.degraded, true) where isOutside:
                return "chosen although the client is outside its share: no node takes the client"
            case (.up, true), (.degraded, true): return "chosen\(by)"
            case (_, true): return "chosen although \(state.rawValue): no node is usable"
            case (.up, false), (.degraded, false):
                return isOutside ? "the client is outside its share" : "other nodes come first"
            case (_, false): return "is \(state.rawValue)"
            }
        }

        private func place(_ rule: Int) -> String { key.rules[rule].match.words }
    }
}

extension GeoRule.Match {
    fileprivate var words: String {
        switch self {
        case .country(let country): "country \(country)"
        case .region(let country, let region): "region \(region), \(country)"
        case .continent(let continent): "continent \(continent)"
        case .label(let label, _): label
        case .any: "everywhere"
        }
    }
}

extension RankingExplanation.Relaxation {
    var words: String? {
        switch self {
        case .none: nil
        case .distance: "the maximum distance"
        case .geography: "all rules but deny"
        case .both: "the maximum distance, and all rules but deny"
        }
    }
}

extension Steering.Strategy {
    /// As in the configuration.
    var words: String {
        switch self {
        case .nearest: "nearest"
        case .linear: "linear"
        case .quadratic: "quadratic"
        case .logarithmic: "logarithmic"
        case .stepped: "stepped"
        case .latency: "latency"
        case .order: "static"
        case .weighted: "weighted"
        }
    }
}
