import ConfigurationModel
import ConfigurationYAML
import Testing

@Suite("Coordinates")
struct CoordinateTests {
    private func location(_ latitude: String, _ longitude: String) throws -> NodeLocation {
        let yaml =
            "nodes: [{id: a, addresses: [192.0.2.1], location: {latitude: \(latitude), longitude: \(longitude)}}]"
        let configuration = try ServerConfiguration.parse(
            yaml: ProblemCase.base + yaml, file: "nearcast.yaml", baseFolder: "/etc/nearcast")
        return try #require(configuration.nodes.first?.location)
    }

    @Test(
        "are read to a millionth of a degree, and further digits are rounded",
        arguments: [
            ("0", 0), ("-0", 0), ("+50", 50_000_000), ("007.5", 7_500_000), ("50.11", 50_110_000),
            ("-74.006", -74_006_000), ("0.000001", 1), ("0.0000004", 0), ("0.0000005", 1), ("-0.0000005", -1),
            ("0.00000049999999999999999999", 0), ("1.9999995", 2_000_000), ("-1.9999995", -2_000_000),
            ("89.9999999", 90_000_000), ("90", 90_000_000), ("-90.0000000000", -90_000_000),
            // The nearest double is 8.2845670000000009, or just under the half.
            ("8.284567", 8_284_567), ("1.0000005", 1_000_001),
        ])
    func exact(_ text: String, _ expected: Int32) throws {
        #expect(try location(text, "0").latitudeMicrodegrees == expected)
        #expect(try location("0", text).longitudeMicrodegrees == expected)
    }

    @Test(
        "beyond the range by any digit are refused",
        arguments: ["90.00000000000001", "-90.1", "91", "1000", "99999999999"])
    func outOfRange(_ text: String) {
        #expect(throws: ConfigurationError.self) { try location(text, "0") }
    }

    @Test(
        "on the date line are accepted with either sign", arguments: [("180", 180_000_000), ("-180.0", -180_000_000)])
    func dateLine(_ text: String, _ expected: Int32) throws {
        #expect(try location("0", text).longitudeMicrodegrees == expected)
    }

    @Test(
        "that are not plain decimals are refused",
        arguments: [
            ".5", "5.", "1e1", "1_0", "0x10", "1,5", "--1", "+-1", "1.2.3", "50°", "inf", ".nan", "٣", "-", ".",
        ])
    func malformed(_ text: String) {
        #expect(throws: ConfigurationError.self) { try location("\(text)", "0") }
    }
}
