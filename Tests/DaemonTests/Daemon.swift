import Fixtures
import Foundation
import Glibc

/// A daemon that was started.
final class Daemon {
    private let process = Process()
    private let logFile: URL

    init(_ command: [String], log: URL) throws {
        logFile = log
        try Data().write(to: log)
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.standardError = try FileHandle(forWritingTo: log)
        process.standardOutput = FileHandle.nullDevice
        try process.run()
    }

    /// What it logged, in logfmt. Quotes within values stand for themselves.
    var log: String {
        ((try? String(contentsOf: logFile, encoding: .utf8)) ?? "").replacing("\\\"", with: "\"")
    }

    /// Descriptors that are open in it.
    var descriptors: Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd")) ?? []).count
    }

    /// Kilobytes of its memory that are resident.
    var residentKilobytes: Int {
        let line = kernelStatus.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// Its status in the kernel (proc_pid_status(5)).
    var kernelStatus: String {
        (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
    }

    /// Whether it has the kernel watch files (inotify(7)).
    var watchesFiles: Bool {
        let folder = "/proc/\(process.processIdentifier)/fdinfo"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let texts = names.compactMap { try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
        return texts.contains { $0.contains("inotify wd:") }
    }

    var isRunning: Bool { process.isRunning }

    /// Sends a signal to it and not to a successor of its number.
    func kill(_ signal: Int32) {
        if process.isRunning { Glibc.kill(process.processIdentifier, signal) }
    }

    func ready() async throws {
        // Each table that is put in place waits for the kernel's readers, which on a busy machine takes its time.
        for _ in 0..<6_000 {
            if log.contains(" message=ready ") { return }
            guard isRunning else { throw CommandFailure(description: "the daemon ended: \(log)") }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw CommandFailure(description: "the daemon does not get ready: \(log)")
    }

    /// Its exit status once it has ended by itself.
    func ended(within limit: Duration = .seconds(60)) async throws -> Int32 {
        let start = ContinuousClock.now
        while isRunning {
            guard ContinuousClock.now - start < limit else {
                throw CommandFailure(description: "the daemon still runs after \(limit): \(log)")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        return process.terminationStatus
    }

    /// Ends it as an operator does; its exit status.
    func stop() async throws -> Int32 {
        kill(SIGTERM)
        return try await ended()
    }

    /// Ends it without a chance to clean up.
    func crash() async throws {
        kill(SIGKILL)
        _ = try await ended()
    }
}
