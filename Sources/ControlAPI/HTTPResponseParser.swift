/// Takes an HTTP/1.1 response apart (RFC 9112) as its bytes arrive; enough for what the daemon sends.
package struct HTTPResponseParser {
    package struct Malformed: Error {
        let reason: String
    }

    private enum Phase: Equatable {
        case head
        case counted(Int)
        case chunkSize
        case chunk(Int)
        case chunkEnd
        case trailers
        case untilEnd
        case complete
    }

    private static let maximumLine = 16 * 1_024
    private static let maximumBody = 256 << 20

    private var phase = Phase.head
    private var unread: [UInt8] = []
    private var cursor = 0
    package private(set) var status = 0
    package private(set) var body: [UInt8] = []

    package init() {}

    package var isComplete: Bool { phase == .complete }

    /// Takes the next bytes of the connection.
    package mutating func append(_ bytes: some Sequence<UInt8>) throws(Malformed) {
        unread += bytes
        while try step() {}
        unread.removeFirst(cursor)
        cursor = 0
        guard body.count <= Self.maximumBody else { throw Malformed(reason: "the body is too large") }
    }

    /// The connection has ended; false when the response has not.
    package mutating func end() -> Bool {
        if phase == .untilEnd { phase = .complete }
        return isComplete
    }

    /// One step; false when more bytes are needed.
    private mutating func step() throws(Malformed) -> Bool {
        switch phase {
        case .head:
            return try readHead()
        case .counted(let left):
            return takeBody(left, then: .complete) { .counted($0) }
        case .chunkSize:
            guard let line = try takeLine() else { return false }
            // Extensions follow a semicolon and mean nothing here.
            guard let size = Int(line.prefix { $0 != ";" }.filter { $0 != " " }, radix: 16), size >= 0 else {
                throw Malformed(reason: "a chunk has no size")
            }
            phase = size == 0 ? .trailers : .chunk(size)
            return true
        case .chunk(let left):
            return takeBody(left, then: .chunkEnd) { .chunk($0) }
        case .chunkEnd:
            guard let line = try takeLine() else { return false }
            guard line.isEmpty else { throw Malformed(reason: "a chunk is longer than its size") }
            phase = .chunkSize
            return true
        case .trailers:
            guard let line = try takeLine() else { return false }
            if line.isEmpty { phase = .complete }
            return !line.isEmpty
        case .untilEnd:
            body += unread[cursor...]
            cursor = unread.count
            return false
        case .complete:
            return false
        }
    }

    /// Reads the head once all of it is there.
    private mutating func readHead() throws(Malformed) -> Bool {
        let start = cursor
        var lines: [String] = []
        while true {
            guard let line = try takeLine() else {
                cursor = start
                return false
            }
            if line.isEmpty { break }
            lines.append(line)
        }
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let code = Int(words[1]), (100...999).contains(code)
        else {
            throw Malformed(reason: "no HTTP response")
        }
        status = code
        // An interim response (1xx) is followed by the real one.
        guard code >= 200 else { return true }
        phase = try bodyPhase(lines.dropFirst())
        return true
    }

    private func bodyPhase(_ headers: some Sequence<String>) throws(Malformed) -> Phase {
        if status == 204 || status == 304 { return .complete }
        var length: Int?
        for header in headers {
            guard let colon = header.firstIndex(of: ":") else { throw Malformed(reason: "a header has no colon") }
            let value = header[header.index(after: colon)...].filter { $0 != " " && $0 != "\t" }.lowercased()
            switch header[..<colon].lowercased() {
            case "transfer-encoding":
                guard value == "chunked" else { throw Malformed(reason: "unknown transfer coding \(value)") }
                return .chunkSize
            case "content-length":
                guard let count = Int(value), count >= 0 else { throw Malformed(reason: "bad content length \(value)") }
                length = count
            default:
                continue
            }
        }
        guard let length else { return .untilEnd }
        return length == 0 ? .complete : .counted(length)
    }

    private mutating func takeBody(_ left: Int, then next: Phase, rest: (Int) -> Phase) -> Bool {
        let count = min(left, unread.count - cursor)
        body += unread[cursor..<cursor + count]
        cursor += count
        phase = count == left ? next : rest(left - count)
        return count == left
    }

    /// The next line without its end; `nil` when it is not all there.
    private mutating func takeLine() throws(Malformed) -> String? {
        guard let end = unread[cursor...].firstIndex(of: UInt8(ascii: "\n")) else {
            guard unread.count - cursor <= Self.maximumLine else { throw Malformed(reason: "a line is too long") }
            return nil
        }
        var line = unread[cursor..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        cursor = end + 1
        return String(decoding: line, as: UTF8.self)
    }
}
