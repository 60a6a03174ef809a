import Telemetry
import Testing

@Suite struct PrometheusTextTests {
    @Test("samples are grouped and sorted, with one HELP and one TYPE line per name")
    func grouping() {
        let samples = [
            MetricSample("b_total", .counter, help: "Bees.", labels: ["path": "slow", "kind": "x"], value: 2),
            MetricSample("a", .gauge, help: "An a.", value: 0.5),
            MetricSample("b_total", .counter, help: "Bees.", labels: ["kind": "x", "path": "fast"], value: 1),
        ]
        let text = """
            # HELP a An a.
            # TYPE a gauge
            a 0.5
            # HELP b_total Bees.
            # TYPE b_total counter
            b_total{kind="x",path="fast"} 1
            b_total{kind="x",path="slow"} 2

            """
        #expect(PrometheusText.render(samples) == text)
        #expect(PrometheusText.render(samples.reversed()) == text)
    }

    @Test("backslashes, line feeds and quotes are escaped as the format requires")
    func escaping() {
        let sample = MetricSample(
            "a", .gauge, help: "back\\slash, \"quote\"\nline", labels: ["l": "back\\slash, \"quote\"\nline"], value: 1)
        #expect(
            PrometheusText.render([sample]) == #"""
                # HELP a back\\slash, "quote"\nline
                # TYPE a gauge
                a{l="back\\slash, \"quote\"\nline"} 1

                """#)
    }

    @Test(
        "values are written as the format requires",
        arguments: [
            (0, "0"), (-3, "-3"), (1.25, "1.25"), (9_007_199_254_740_992, "9007199254740992"), (1e300, "1e+300"),
            (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
        ] as [(Double, String)])
    func values(value: Double, text: String) {
        let rendered = PrometheusText.render([MetricSample("a", .gauge, help: "h", value: value)])
        #expect(rendered.hasSuffix("\na \(text)\n"))
    }

    @Test("without samples the text is empty")
    func empty() {
        #expect(PrometheusText.render([]) == "")
    }
}
