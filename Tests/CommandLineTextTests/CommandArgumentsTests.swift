import CommandLineText
import FoundationEssentials
import Testing

@Suite("Values on the command line")
struct CommandArgumentsTests {
    @Test("the control socket is that of the command line, then of the environment, then the standard one")
    func socket() {
        #expect(ControlSocket.path(given: "/a", variable: "/b") == "/a")
        #expect(ControlSocket.path(given: nil, variable: "/b") == "/b")
        #expect(ControlSocket.path(given: nil, variable: "") == ControlSocket.standard)
        #expect(ControlSocket.path(given: nil, variable: nil) == ControlSocket.standard)
    }

    @Test(
        "a TTL is written as in zone files",
        arguments: [
            ("300", 300), ("0", 0), ("5m", 300), ("1h30m", 5_400), ("1W2D", 777_600), ("1m30", 90),
            ("4294967295", 4_294_967_295), ("4294967296", nil), ("", nil), ("m", nil), ("5x", nil), ("-1", nil),
            ("9999999w", nil), ("1.5h", nil),
        ])
    func timeToLive(_ text: String, _ seconds: UInt32?) {
        #expect(CommandArguments.timeToLive(text) == seconds)
    }

    @Test("a time needs its offset from UTC, and the complaint says so")
    func time() {
        #expect(CommandArguments.time("2026-12-01T00:00:00Z") == Date(timeIntervalSince1970: 1_796_083_200))
        #expect(CommandArguments.time("2026-12-01T01:00:00+01:00") == CommandArguments.time("2026-12-01T00:00:00Z"))
        #expect(CommandArguments.time("2026-12-01T00:00:00") == nil)
        #expect(
            CommandArguments.complaint(aboutTime: "2026-12-01T00:00:00")
                == "\"2026-12-01T00:00:00\" has no offset from UTC: write 2026-12-01T00:00:00Z for UTC, or "
                + "2026-12-01T00:00:00+01:00")
        #expect(CommandArguments.complaint(aboutTime: "noon").hasPrefix("\"noon\" is not a time, expected"))
    }
}
