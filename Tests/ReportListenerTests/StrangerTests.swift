import DNSServer
import Fixtures
import Foundation
import Glibc
import ReportListener
import Testing

/// What those without a token can make the listener hold.
@Suite(.serialized) struct StrangerTests {
    /// What a head without end is made of. Pieces are small, so that this test's own side holds little.
    enum Head: CaseIterable, Sendable {
        case longField, manyFields, longTarget

        var pieces: [String] {
            switch self {
            case .longField:
                ["POST / HTTP/1.1\r\nX: "] + Array(repeating: String(repeating: "y", count: 8_000), count: 250)
            case .manyFields:
                ["POST / HTTP/1.1\r\n"] + Array(repeating: String(repeating: "X: y\r\n", count: 1_000), count: 300)
            case .longTarget: ["POST /"] + Array(repeating: String(repeating: "y", count: 8_000), count: 250)
            }
        }
    }

    @Test(
        "a head that never ends is cut off after a few KiB, whatever it is made of", arguments: [false, true],
        Head.allCases)
    func heads(isEncrypted: Bool, head: Head) async throws {
        // Over TLS these bytes are no handshake, and end as soon.
        let pieces = head.pieces
        try await Listening(isEncrypted: isEncrypted).run { listening in
            let before = residentBytes()
            let answers = try await withThrowingTaskGroup(of: String.self) { tasks in
                for _ in 0..<60 { tasks.addTask { try await listening.exchange(pieces) } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { !$0.hasSuffix("(open)") }, "every connection is closed")
            #expect(answers.allSatisfy { $0.isEmpty || $0.hasPrefix("HTTP/1.1 4") })
            // 60 connections of 16 KiB are less than one MiB, and of 2 MiB 120; the rest is this test's own side.
            #expect(residentBytes() - before < 32 << 20)
        }
    }

    @Test("requests that wait behind one another are not read before they are answered")
    func pipelined() async throws {
        try await Listening().run { listening in
            let request = Listening.request(closes: false)
            let answer = try await listening.exchange(
                [String(repeating: request, count: 50), Listening.request()])
            #expect(answer.components(separatedBy: "HTTP/1.1 200 OK").count - 1 == 51)
        }
    }
}

/// What this process has in memory.
private func residentBytes() -> Int {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
}
