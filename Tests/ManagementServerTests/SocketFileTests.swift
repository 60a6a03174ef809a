import ControlFailures
import Foundation
import Glibc
import ManagementClient
import ManagementServer
import ManagementTypes
import Testing

@Suite struct SocketFileTests {
    @Test("folder and socket have the promised modes, and the socket goes with the server")
    func modes() async throws {
        let path = temporaryPath()
        try await withServer(at: path) { _ in
            #expect(mode(path) == 0o660)
            #expect(mode((path as NSString).deletingLastPathComponent) == 0o750)
        }
        #expect(mode(path) == 0)
    }

    @Test("a second daemon is refused while the first answers, and may take over when told so")
    func twoDaemons() async throws {
        let path = temporaryPath()
        try await withServer(at: path) { client in
            let failure = #expect(throws: ControlFailure.self) {
                try ControlServer(path: path, handler: FakeDaemon(), logger: silentLogger)
            }
            #expect(failure?.code == .conflict)
            #expect(failure?.message == "another nearcastd is running: it answers at \(path)")
            _ = try ControlServer(path: path, handler: FakeDaemon(), logger: silentLogger, handover: true)
            #expect(try client.status().pid == 42)
        }
    }

    @Test("a socket that a killed daemon left is replaced")
    func staleSocket() async throws {
        let path = temporaryPath()
        try await withServer(at: path) { _ in #expect(link(path, path + ".kept") == 0) }
        rename(path + ".kept", path)
        #expect(mode(path) == 0o660)
        #expect(try await withServer(at: path) { try $0.status().pid } == 42)
    }

    @Test("a file that is no socket is left alone")
    func foreignFile() throws {
        let path = "/tmp/nearcast-test-\(getpid())-file"
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        let failure = #expect(throws: ControlFailure.self) {
            try ControlServer(path: path, handler: FakeDaemon(), logger: silentLogger)
        }
        #expect(failure?.code == .invalid)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test("a path longer than the system allows is refused")
    func longPath() {
        let failure = #expect(throws: ControlFailure.self) {
            try ControlServer(
                path: "/tmp/" + String(repeating: "x", count: 110), handler: FakeDaemon(), logger: silentLogger)
        }
        #expect(failure?.code == .invalid)
    }

    @Test("without a daemon the client says so")
    func noDaemon() {
        let path = "/tmp/nearcast-test-none/control.sock"
        let failure = #expect(throws: ControlFailure.self) { try ControlClient(path: path).status() }
        #expect(failure?.code == .unavailable)
        #expect(failure?.message == "no daemon at \(path): is nearcastd running?")
    }
}

/// The permissions of a file; 0 where there is none.
func mode(_ path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.posixPermissions] as? Int ?? 0
}
