import ControlAPI
import Foundation
import Glibc
import RegularFiles
import Synchronization

/// Changes of nodes' states: a journal on disk, the latest ones at hand, and those who wait for the next.
///
/// The journal is one JSON object a line (``TransitionReport``) in `transitions.jsonl` of the state folder, only ever
/// appended to. At 16 MiB it becomes `transitions.1.jsonl`, in place of the one before.
///
/// Sendable: what changes is behind the mutex.
final class TransitionLog: Sendable {
    private static let maximumBytes = 16 << 20
    /// Changes at hand.
    private static let maximumRecent = 4_096

    private struct Contents {
        var latest: UInt64 = 0
        var recent: [TransitionReport] = []
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiting = 0
        var isClosed = false
    }

    private let path: String
    private let earlierPath: String
    private let contents: Mutex<Contents>

    /// Goes on where the journal in `folder` ends. One that cannot be read is left alone, and counted from 0.
    init(folder: String) {
        path = folder + "/transitions.jsonl"
        earlierPath = folder + "/transitions.1.jsonl"
        var contents = Contents()
        contents.latest = [path, earlierPath].lazy.compactMap { Self.lines(of: $0).last?.sequence }.first ?? 0
        self.contents = Mutex(contents)
    }

    /// Number of the last change.
    var latest: UInt64 { contents.withLock { $0.latest } }

    /// - Throws: when it cannot be written; whoever waits is told all the same.
    func add(_ transition: TransitionReport) throws {
        let waiting = contents.withLock { contents in
            contents.latest = transition.sequence
            if contents.recent.count >= Self.maximumRecent { contents.recent.removeFirst(Self.maximumRecent / 4) }
            contents.recent.append(transition)
            defer { contents.waiting = [:] }
            return contents.waiting.values
        }
        for continuation in waiting { continuation.resume() }
        try write(try ControlJSON.encode(transition) + [UInt8(ascii: "\n")])
    }

    private func write(_ line: [UInt8]) throws {
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o640)
        guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { Glibc.close(file) }
        // One write is one line, also beside a successor's.
        guard Glibc.write(file, line, line.count) == line.count else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        if lseek(file, 0, SEEK_END) > Self.maximumBytes { rename(path, earlierPath) }
    }

    func recent(after sequence: UInt64) -> [TransitionReport] {
        contents.withLock { $0.recent.filter { $0.sequence > sequence } }
    }

    /// Changes of a node, the latest first.
    func history(of node: String, limit: Int) throws -> [TransitionReport] {
        var found: [TransitionReport] = []
        for path in [path, earlierPath] where found.count < limit {
            found += Self.lines(of: path, having: node).reversed().prefix(limit - found.count)
        }
        return found
    }

    /// Lines that can be read: a machine that lost power may have left half of one.
    private static func lines(of path: String, having node: String) -> [TransitionReport] {
        guard let bytes = try? RegularFile.contents(of: path) else { return [] }
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            (try? ControlJSON.decode(TransitionReport.self, from: Array(line))).flatMap { $0.node == node ? $0 : nil }
        }
    }

    /// The last lines that can be read.
    private static func lines(of path: String) -> [TransitionReport] {
        guard let bytes = try? RegularFile.contents(of: path) else { return [] }
        return bytes.suffix(16 << 10).split(separator: UInt8(ascii: "\n")).compactMap {
            try? ControlJSON.decode(TransitionReport.self, from: Array($0))
        }
    }

    // MARK: - Waiting

    /// Returns when there are changes after the one numbered `sequence`, or after `seconds`, or at the end.
    func wait(after sequence: UInt64, seconds: Int) async {
        let ticket = contents.withLock { contents in
            contents.nextWaiting += 1
            return contents.nextWaiting
        }
        let limit = Task {
            try? await Task.sleep(for: .seconds(seconds))
            self.wake(ticket)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = contents.withLock { contents in
                    if contents.latest <= sequence, !contents.isClosed, !Task.isCancelled {
                        contents.waiting[ticket] = continuation
                    }
                    return contents.waiting[ticket] == nil
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            wake(ticket)
        }
        limit.cancel()
    }

    private func wake(_ ticket: Int) {
        contents.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
    }

    /// Nobody waits any more.
    func close() {
        let waiting = contents.withLock { contents in
            contents.isClosed = true
            defer { contents.waiting = [:] }
            return contents.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }
}
