import Fixtures
import Foundation
import Glibc

/// `openssl s_server` with a certificate, which answers every request with a page.
final class TLSServer {
    let port: UInt16
    private let process = Process()

    init(_ files: CertificateFiles) throws {
        port = try closedPort()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "openssl", "s_server", "-quiet", "-www", "-accept", "127.0.0.1:\(port)", "-cert", files.certificate, "-key",
            files.key,
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        for _ in 0..<500
        where (try? Fixtures.run(["bash", "-c", "exec 2>/dev/null 3<>/dev/tcp/127.0.0.1/\(port)"])) == nil {
            usleep(10_000)
        }
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
