import ConfigurationModel
import Testing

@Suite("Durations")
struct TimeSpanTests {
    @Test(
        "are whole numbers with a unit",
        arguments: [
            ("500ms", 500), ("0s", 0), ("10s", 10_000), ("5m", 300_000), ("24h", 86_400_000), ("7d", 604_800_000),
            ("10", nil), ("1w", nil), ("1.5h", nil), ("1h30m", nil), ("h", nil), ("", nil),
        ])
    func text(_ text: String, _ milliseconds: Int?) {
        #expect(TimeSpan.milliseconds(text) == milliseconds)
    }

    @Test("a range is written with the largest units")
    func range() {
        #expect(TimeSpan.aliasStale.expected == "a duration from 1m to 7d")
        #expect(TimeSpan.slowStart.expected == "a duration from 0s to 1h")
    }
}
