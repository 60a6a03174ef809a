import DNSWire
import Fixtures
import IPNetworks
import Simulation
import Testing

@Suite("The map's coastlines")
struct WorldMapTests {
    /// The rings of the land, in tenths of a degree from 180° west and 90° north.
    private let rings: [[(x: Int, y: Int)]]

    init() throws {
        let sample = try SampleModel()
        let client = ClientGroup(sender: .v4(0xC000_0201), weight: 1)
        let simulation = Simulation(
            .groups([client]), before: Scenario(sample.model, name: 0, family: .v4))
        rings = Self.land(of: WorldMap(simulation.picture, title: "", marks: []).svg)
    }

    private static func land(of svg: String) -> [[(x: Int, y: Int)]] {
        guard let start = svg.firstRange(of: " d=\"")?.upperBound else { return [] }
        return svg[start...].prefix { $0 != "\"" }.split(separator: "z").map { ring in
            var points: [(x: Int, y: Int)] = []
            var numbers: [Int] = []
            // "M" and "l" begin a number, as do blanks and signs.
            for word in ring.replacing("-", with: " -").split(whereSeparator: { " Ml".contains($0) }) {
                numbers.append(Int(word) ?? Int.min)
            }
            for index in stride(from: 0, to: numbers.count - 1, by: 2) {
                let last = points.last ?? (0, 0)
                points.append((last.x + numbers[index], last.y + numbers[index + 1]))
            }
            return points
        }
    }

    /// Whether a ray to the east crosses an odd number of coasts.
    private func isLand(latitude: Double, longitude: Double) -> Bool {
        let (x, y) = ((longitude + 180) * 10, (90 - latitude) * 10)
        var isInside = false
        for ring in rings {
            for (a, b) in zip(ring, ring.dropFirst() + ring.prefix(1)) where (Double(a.y) > y) != (Double(b.y) > y) {
                let crossing = Double(a.x) + (y - Double(a.y)) / Double(b.y - a.y) * Double(b.x - a.x)
                if crossing > x { isInside.toggle() }
            }
        }
        return isInside
    }

    @Test("every point is on the map")
    func range() {
        #expect(rings.count > 100)
        #expect(rings.allSatisfy { $0.count >= 3 })
        #expect(rings.allSatisfy { $0.allSatisfy { (0...3600).contains($0.x) && (0...1800).contains($0.y) } })
    }

    @Test(
        "cities inland are on land, and seas are not",
        arguments: [
            (52.5, 13.4, true), (39.9, 116.4, true), (-1.3, 36.8, true), (-25.0, 134.0, true), (39.7, -105.0, true),
            (-15.8, -47.9, true), (65.0, -18.5, true), (-44.0, 170.5, true), (-85.0, 0.0, true), (36.0, 138.0, true),
            (30.0, -40.0, false), (0.0, -140.0, false), (-20.0, 80.0, false), (42.0, 51.0, false), (35.0, 18.0, false),
            (57.0, 3.0, false), (85.0, 0.0, false), (-60.0, 0.0, false),
        ])
    func places(latitude: Double, longitude: Double, expected: Bool) {
        #expect(isLand(latitude: latitude, longitude: longitude) == expected)
    }
}
