import Glibc
import Location
import Steering
import Testing

/// The logarithm of the original strategy, seen through scores without bonus: `ln d = 10 · (1 - score)`.
@Suite("Logarithmic score")
struct LogarithmicScoreTests {
    private static func reports(_ longitudes: [Double]) -> [RankingExplanation.Member] {
        let nodes = longitudes.enumerated().map { SteeringNode.at($1, id: "n\($0)", slot: $0) }
        let scoring = OriginalScoring(sameRegionPreference: false, biasThousandths: 0)
        return Ranking(.all(nodes.count, strategy: .logarithmic, scoring: scoring), nodes: nodes)
            .explanation(for: .at(0)).members
    }

    @Test("agrees with the C library's logarithm to 4e-16 of the score")
    func accuracy() throws {
        var numbers = Numbers(3)
        // 1 km to the antipode, evenly over the magnitudes.
        let longitudes = (0..<1000).map { _ in 0.01 * pow(18_000, Double.random(in: 0...1, using: &numbers)) }
        for report in Self.reports(longitudes) {
            let (score, metres) = (try #require(report.score), try #require(report.metres))
            #expect(abs(score - (1 - log(metres / 1000) / 10)) < 4e-16)
        }
    }

    @Test("grows with the distance, from one metre on")
    func monotone() {
        for base in [1000, 1414, 2718, 10_000, 123_456, 1_000_000, 2_828_427, 15_000_000] {
            // A ten-millionth of a degree is a centimetre, a hundred-thousandth a metre.
            let degrees = (0..<50).map { (Double(base) + 2 * Double($0)) / 111_195 + 1e-5 }
            let reports = Self.reports(degrees)
            #expect(reports.map(\.member.node) == Array(0..<50))
            #expect(reports.map(\.band) == Array(0..<50))
        }
    }
}
