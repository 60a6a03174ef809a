import Fixtures
import Foundation
import Glibc
import ManagementServer
import Testing

/// What strangers can make the listener hold before it knows a token.
@Suite(.serialized) struct StrangerTests {
    private static let start = Flood.start

    /// An endless request.
    struct Flood: Sendable, CustomTestStringConvertible {
        static let start = "POST /v1/nodes/fra%201/report HTTP/1.1\r\nHost: x\r\n"

        let testDescription: String
        let opening: String
        var piece = String(repeating: "y", count: 1_000)

        static let all: [Flood] = [
            Flood(testDescription: "short fields", opening: start, piece: "X: y\r\n"),
            Flood(testDescription: "long fields", opening: start, piece: longField),
            Flood(testDescription: "one field", opening: start + "X: "),
            Flood(testDescription: "a target", opening: "POST /"),
            Flood(testDescription: "empty lines", opening: "", piece: "\r\n"),
            Flood(testDescription: "requests", opening: "", piece: "GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
            Flood(testDescription: "a body", opening: start + "Content-Length: 1000000\r\n\r\n"),
            Flood(testDescription: "chunks", opening: start + "Transfer-Encoding: chunked\r\n\r\n", piece: longChunk),
        ]

        private static let longField = "X: " + String(repeating: "y", count: 4_000) + "\r\n"
        private static let longChunk = "1;" + String(repeating: "x", count: 1_000) + "\r\ny\r\n"
    }

    /// Bytes that a connection takes of `piece`, sent until the server closes or `limit` are sent, and what came back.
    private static func taken(_ opening: String, _ piece: String, port: UInt16, limit: Int) throws -> (Int, String) {
        let client = try RawClient(port)
        var count = client.send(opening)
        while count < limit {
            let more = client.send(piece)
            count += more
            guard more > 0 else { break }
            usleep(1_000)
        }
        return (count, client.receiveAll())
    }

    @Test(
        "without a token a connection is closed at 16 KiB, however the bytes come",
        arguments: Flood.all)
    func closed(flood: Flood) async throws {
        try await Listening().run { listening in
            let port = listening.port
            let (count, answer) = try await offPool {
                try Self.taken(flood.opening, flood.piece, port: port, limit: 1 << 20)
            }
            // What is sent and not read yet is in the sockets' buffers.
            #expect(count < 200 << 10, "took \(count)")
            #expect(!answer.hasSuffix("(open)"))
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"), "\(answer.prefix(100))")
        }
    }

    @Test("200 connections with endless heads take less than 16 KiB each and what a connection costs, and are counted")
    func memory() async throws {
        try await Listening(.init(connections: 400, connectionsPerClient: 400)).run { listening in
            let port = listening.port
            let grown = try await offPool {
                let open = try (0..<200).map { _ in try RawClient(port) }
                eventually { listening.open == 200 }
                let before = settled(residentBytes)
                let field = "X: " + String(repeating: "y", count: 7_900) + "\r\n"
                for client in open {
                    _ = client.send(Self.start + field + "X: " + String(repeating: "y", count: 7_000))
                }
                let held = settled(residentBytes) - before
                for client in open { _ = client.send(String(repeating: "y", count: 60_000)) }
                eventually { listening.closed("input") == 200 }
                return (held, settled(residentBytes) - before)
            }
            let bound = 200 * ReportServer.Limits.bytesPerConnection
            #expect(grown.0 < bound, "holds \(grown.0 / 200) bytes each")
            #expect(grown.1 < bound, "held \(grown.1 / 200) bytes each")
            #expect(listening.closed("input") == 200)
        }
    }

    @Test("a token lifts the limit for its own request only, and many requests on a connection each have their 16 KiB")
    func known() async throws {
        try await Listening().run { listening in
            let head = Listening.request(
                "/v1/observers/ams/verdicts", token: Listening.token + "o", length: 100_000, closes: false)
            let verdicts =
                String(head.dropLast(2)) + "{\"verdicts\": {" + String(repeating: " ", count: 100_000 - 16) + "}}"
            let padded = Listening.request(closes: false).replacing(
                "Host: x\r\n", with: "Host: x\r\nX: " + String(repeating: "y", count: 7_000) + "\r\n")
            let answer = try await listening.exchange([verdicts] + [padded, padded, padded, Listening.request()])
            #expect(answer.components(separatedBy: "HTTP/1.1 200 OK").count == 6, "\(answer.prefix(300))")
        }
    }
}

private func residentBytes() -> Int {
    let statm = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (Int(statm.split(separator: " ").dropFirst().first ?? "") ?? 0) * 4_096
}

/// A socket that sends as much as the other end takes.
private final class RawClient: Sendable {
    private let descriptor: CInt

    init(_ port: UInt16) throws {
        descriptor = try Listening.connected(port, patience: 2)
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// - Returns: bytes sent; 0 when the other end is closed, or takes nothing for a second.
    func send(_ text: String) -> Int {
        let bytes = Array(text.utf8)
        return max(0, Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)))
    }

    func receiveAll() -> String { Listening.received(descriptor) }
}
