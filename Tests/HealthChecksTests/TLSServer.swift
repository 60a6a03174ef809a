import Fixtures
import Foundation
import Glibc

/// `openssl s_server` with a certificate, which answers every request with a page.
final class TLSServer {
    let port: UInt16
    private let process = Process()

    convenience init(_ files: CertificateFiles) throws {
        try self.init(certificate: files.certificate, key: files.key)
    }

    /// - Parameters: PEM files.
    init(certificate: String, key: String) throws {
        port = try closedPort()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "openssl", "s_server", "-quiet", "-www", "-accept", "127.0.0.1:\(port)", "-cert", certificate, "-key",
            key,
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // Without a connection: the command serves one after the other, and would wait for this one's handshake.
        for _ in 0..<500 {
            guard try Fixtures.run(["ss", "-Hltn", "sport", "=", ":\(port)"]).isEmpty else { break }
            usleep(10_000)
        }
    }

    // Foundation reaps it; to wait here would take a thread of the pool.
    deinit { kill(process.processIdentifier, SIGKILL) }
}
