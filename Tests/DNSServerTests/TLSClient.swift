import Fixtures
import Foundation
import IPNetworks
import Synchronization

/// A connection over TLS, through the openssl command. Receives wait 30 seconds at most.
final class TLSClient: @unchecked Sendable {
    // Used by one test's thread at a time; the class is only handed between them.
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(to endpoint: SocketEndpoint, _ options: [String] = []) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["openssl", "s_client", "-quiet", "-no_ign_eof", "-connect", "\(endpoint)", "-alpn", "dot"] + options
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        // A write after the end of the process is an error here, not a signal.
        signal(SIGPIPE, SIG_IGN)
        try process.run()
        // The process has its own; without this one the end of its output would never be seen.
        try output.fileHandleForWriting.close()
    }

    deinit {
        // At once: the command would first wait for what the server says at the end.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// Does nothing any more, until its end.
    func pause() { kill(process.processIdentifier, SIGSTOP) }

    func send(_ bytes: [UInt8]) throws { try input.fileHandleForWriting.write(contentsOf: Data(bytes)) }

    func finishSending() throws { try input.fileHandleForWriting.close() }

    func receiveMessage() -> [UInt8]? {
        guard let head = exactly(2) else { return nil }
        return exactly(Int(head[0]) << 8 | Int(head[1]))
    }

    /// True when the server has closed the connection.
    func isClosed() -> Bool { readable() && output.fileHandleForReading.availableData.isEmpty }

    func ask(_ message: [UInt8]) throws -> [UInt8]? {
        try send(framed(message))
        return receiveMessage()
    }

    private func exactly(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard readable(), let more = try? output.fileHandleForReading.read(upToCount: count - bytes.count),
                !more.isEmpty
            else { return nil }
            bytes += more
        }
        return bytes
    }

    private func readable() -> Bool {
        var state = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 30_000) == 1
    }
}

/// What `openssl s_client` says of a new connection.
func describeTLS(_ endpoint: SocketEndpoint, _ options: [String] = []) -> String {
    let command = "openssl s_client -connect '\(endpoint)' -alpn dot \(options.joined(separator: " ")) </dev/null 2>&1"
    return (try? Fixtures.run(["sh", "-c", "\(command); true"])) ?? ""
}

/// The common name of the certificate that new connections are shown.
func shownName(_ endpoint: SocketEndpoint) -> String? {
    let line = describeTLS(endpoint).split(separator: "\n").first { $0.hasPrefix("subject=") }
    return line?.split(separator: "=").last.map { $0.trimmingCharacters(in: .whitespaces) }
}
