import ControlFailures
import Foundation

/// A database that an operator names: a file or a URL, compressed with gzip or not.
///
/// `curl` and `gzip` do the work, which every distribution has. They are started without a shell.
struct DatabaseSource {
    let text: String

    /// Many times the size of the largest city databases.
    private static let maximumBytes = 2 << 30

    private var isURL: Bool { ["http://", "https://"].contains { text.lowercased().hasPrefix($0) } }

    /// Writes the database to a new file.
    func write(to path: String) throws(ControlFailure) {
        if isURL {
            let download = path + ".download"
            defer { try? FileManager.default.removeItem(atPath: download) }
            try Self.run([
                "curl", "--fail", "--location", "--silent", "--show-error", "--proto", "=http,https",
                "--max-filesize", "\(Self.maximumBytes)", "--connect-timeout", "30", "--output", download, "--", text,
            ])
            try Self.unpack(download, to: path, named: text)
        } else {
            try Self.unpack(text, to: path, named: text)
        }
    }

    private static func unpack(_ source: String, to path: String, named name: String) throws(ControlFailure) {
        guard let file = FileHandle(forReadingAtPath: source) else {
            throw ControlFailure(
                .invalid, "\(name) cannot be read", remedy: "check the path and its permissions, or give an http(s) URL"
            )
        }
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let target = FileHandle(forWritingAtPath: path)
        else {
            throw ControlFailure(
                .invalid, "\(path) cannot be written", remedy: "run this as a user who may write the folder")
        }
        do {
            let magic = try file.read(upToCount: 2) ?? Data()
            try file.seek(toOffset: 0)
            if magic == Data([0x1F, 0x8B]) {
                try decompress(file, to: target)
            } else {
                try copy(file, to: target)
            }
            try target.close()
        } catch let failure as ControlFailure {
            throw failure
        } catch { throw ControlFailure(.invalid, "\(name) cannot be copied to \(path): \(error.localizedDescription)") }
    }

    private static func decompress(_ file: FileHandle, to target: FileHandle) throws {
        let process = process(["gzip", "--decompress", "--stdout"])
        let output = Pipe()
        (process.standardInput, process.standardOutput) = (file, output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        do { try copy(output.fileHandleForReading, to: target) } catch {
            process.terminate()
            throw error
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ControlFailure(.invalid, "the file is not complete gzip data", remedy: "fetch it again")
        }
    }

    private static func copy(_ source: FileHandle, to target: FileHandle) throws {
        var total = 0
        while let part = try source.read(upToCount: 1 << 20), !part.isEmpty {
            total += part.count
            guard total <= maximumBytes else {
                throw ControlFailure(.tooLarge, "the database is larger than 2 GiB", remedy: "check the source")
            }
            try target.write(contentsOf: part)
        }
    }

    private static func process(_ command: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        return process
    }

    private static func run(_ command: [String]) throws(ControlFailure) {
        let process = process(command)
        let errors = Pipe()
        process.standardError = errors
        do { try process.run() } catch {
            throw ControlFailure(.internal, "\(command[0]) cannot be started: \(error.localizedDescription)")
        }
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let what = said.split(separator: "\n").last.map(String.init) ?? "exit code \(process.terminationStatus)"
            throw ControlFailure(
                .invalid, "\(command.last ?? "") cannot be fetched: \(what)",
                remedy: process.terminationStatus == 127 ? "install \(command[0])" : "check the URL and the network")
        }
    }
}
