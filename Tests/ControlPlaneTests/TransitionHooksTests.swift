import ConfigurationModel
import ConfigurationYAML
import ControlPlane
import Foundation
import Health
import Logging
import ServiceLifecycle
import StateStore
import Synchronization
import Testing

@Suite("Programs that run when nodes change their state")
struct TransitionHooksTests {
    private static func event(_ number: UInt64, _ node: String, _ state: String) -> Event {
        let transition = NodeTransition(
            sequence: 0, time: 0, node: node, from: "up", to: state, cause: "checks", authority: "checks",
            evidence: "connection refused; rm -rf $HOME", epoch: 1, family: "IPv6")
        return Event(sequence: number, time: Date(), kind: .node(transition, kept: KeptNode(slot: 0)))
    }

    /// Runs hooks of this YAML until `body` ends.
    private static func withHooks(
        _ yaml: String, _ body: (TransitionHooks) async throws -> Void
    ) async throws {
        let text = "listen: [127.0.0.1:53]\nzones: [{origin: a.b, file: z}]\nhealth: {hooks: \(yaml)}"
        let hooks = try ServerConfiguration.parse(yaml: text, file: "c", baseFolder: "/").hooks
        let service = TransitionHooks(hooks: { hooks }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let running = Task { try await service.run() }
        try await body(service)
        running.cancel()
        _ = await running.result
    }

    private static func lines(_ file: URL, _ count: Int) async throws -> [String] {
        for _ in 0..<1_000 {
            let lines = ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
            if lines.count >= count { return lines }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw CocoaError(.fileReadNoSuchFile)
    }

    @Test(
        "each transition to a state that is named runs the program once, in order, with its facts and without a shell")
    func order() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "nch-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        let script =
            #"echo "$NEARCAST_SEQUENCE $NEARCAST_NODE $NEARCAST_FAMILY $NEARCAST_TO $NEARCAST_EVIDENCE" >> \#(file.path)"#
        try await Self.withHooks("[{run: [/bin/sh, -c, '\(script)'], on: [down, up]}]") { hooks in
            hooks.take([Self.event(1, "ber", "down"), Self.event(2, "nyc", "drained")])
            hooks.take([Self.event(3, "ber", "up")])
            let lines = try await Self.lines(file, 2)
            #expect(
                lines == [
                    "1 ber IPv6 down connection refused; rm -rf $HOME",
                    "3 ber IPv6 up connection refused; rm -rf $HOME",
                ])
        }
    }

    @Test("a program that hangs is killed after its time, and the next transition is handed over")
    func late() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "nch-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        let script = #"echo "$NEARCAST_NODE" >> \#(file.path); [ "$NEARCAST_NODE" = ber ] && sleep 1000"#
        try await Self.withHooks("[{run: [/bin/sh, -c, '\(script)'], timeout: 200ms}, {run: [/nowhere]}]") { hooks in
            hooks.take([Self.event(1, "ber", "down"), Self.event(2, "nyc", "down")])
            let lines = try await Self.lines(file, 2)
            #expect(lines == ["ber", "nyc"])
        }
    }

    @Test(
        "a mistake in a hook is named",
        arguments: [
            ("[]", "empty list"), ("[{on: [down]}]", "hook 1 has no run"), ("[{run: [tell]}]", "absolute path"),
            ("[{run: [/bin/true], on: [gone]}]", "expected one of unknown, up"),
            ("[{run: [/bin/true], timeout: 2h}]", "timeout of hook 1"),
        ])
    func mistakes(hooks: String, words: String) async {
        var problem = "none"
        do { try await Self.withHooks(hooks) { _ in } } catch { problem = "\(error)" }
        #expect(problem.contains(words), "\(problem)")
    }
}
