/// The proximity score of the four original strategies: 0...1, higher is better.
///
/// The formulas are evaluated as written, in doubles and with IEEE-exact operations only, so scores are the same on
/// every machine. They differ from correctly rounded values by less than 4e-16.
struct OriginalScore: Sendable {
    /// What a member has in common with the client.
    enum Affinity: UInt8, Sendable, CaseIterable {
        case none, country, region
    }

    /// The whole score of a member whose location is unknown.
    static let unknownPlace = 0.01

    private static let stepScores = [1, 0.8, 0.6, 0.4, 0.2]

    private let strategy: Strategy
    private let factor: Double
    /// The smallest squared chords that are not below 100, 500, 2,000 and 5,000 km.
    private let steps: [UInt64]
    /// The largest squared chord that has a score.
    private let maximum: UInt64?

    init(_ strategy: Strategy, _ scoring: OriginalScoring, maximumKilometres: Int?) {
        self.strategy = strategy
        factor = Double(scoring.biasThousandths) / 1000
        steps = [100, 500, 2000, 5000].map { GreatCircle.firstSquaredChord(atLeast: $0 * 1000) }
        maximum = maximumKilometres.map { GreatCircle.lastSquaredChord(within: Double($0) * 1000) }
    }

    /// - Parameter chord: squared chord between client and member.
    func score(chord: UInt64, affinity: Affinity) -> Double {
        if let maximum, chord > maximum { return 0 }
        let bonus: Double =
            switch affinity {
            case .none: 0
            case .country: 0.5 * factor
            case .region: factor
            }
        return min(1, proximity(chord) * (1 - factor) + bonus)
    }

    private func proximity(_ chord: UInt64) -> Double {
        switch strategy {
        case .stepped: return Self.stepScores[steps.firstIndex { chord < $0 } ?? 4]
        case .logarithmic:
            let kilometres = GreatCircle.metres(squaredChord: chord) / 1000
            return kilometres < 1 ? 1 : 1 - min(max(NaturalLogarithm.of(kilometres) / 10, 0), 1)
        default:
            let x = 1 - min(GreatCircle.metres(squaredChord: chord) / 1000 / 20_000, 1)
            return strategy == .quadratic ? x * x : x
        }
    }
}
