import ControlFailures
import ControlPlane
import DNSServer
import DaemonServices
import Foundation
import Glibc
import LinuxSupport
import Logging
import ServiceLifecycle
import StateStore
import SystemPackage
import Testing

/// A service manager that only listens, at a path or an abstract name.
private final class ListeningManager {
    let descriptor: CInt
    let name: String

    init(_ name: String) throws {
        self.name = name
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = MemoryLayout<sa_family_t>.size + bytes.count
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(length)) }
        }
        try #require(bound == 0, "\(String(cString: strerror(errno)))")
    }

    deinit {
        close(descriptor)
        if name.hasPrefix("/") { unlink(name) }
    }

    func next() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}

@Suite struct ServiceManagerTests {
    @Test("messages reach the manager in one datagram, at a path and at an abstract name")
    func messages() throws {
        for name in ["/tmp/nearcast-notify-\(UUID().uuidString.prefix(8))", "@nearcast-notify-\(UUID().uuidString)"] {
            let manager = try ListeningManager(name)
            let client = ServiceManager(socketName: name)
            try client.send(.ready, .status("2 zones\nand more"))
            #expect(manager.next() == "READY=1\nSTATUS=2 zones and more")
            try client.send(.reloading(monotonicMicroseconds: 17))
            #expect(manager.next() == "RELOADING=1\nMONOTONIC_USEC=17")
            try client.send(.extended(.milliseconds(1_500)), .alive, .stopping)
            #expect(manager.next() == "EXTEND_TIMEOUT_USEC=1500000\nWATCHDOG=1\nSTOPPING=1")
            #expect(manager.next() == nil)
        }
    }

    @Test("while a start loads, the manager gives it more time, and not after that", .timeLimit(.minutes(1)))
    func startLimit() async throws {
        let manager = try ListeningManager("@nearcast-notify-\(UUID().uuidString)")
        let limit = StartLimit(ServiceManager(socketName: manager.name), pace: .milliseconds(10))
        for _ in 0..<2 {
            var message: String?
            while message == nil {
                try await Task.sleep(for: .milliseconds(2))
                message = manager.next()
            }
            #expect(message == "EXTEND_TIMEOUT_USEC=30000000\nSTATUS=loading")
        }
        limit.end()
        while manager.next() != nil {}
        try await Task.sleep(for: .milliseconds(50))
        #expect(manager.next() == nil)
    }

    @Test(
        "a signal that came before the services end them, and without one they run", .timeLimit(.minutes(1)),
        arguments: [true, false])
    func earlySignal(isDue: Bool) async throws {
        struct Waiting: Service {
            func run() async throws { try await gracefulShutdown() }
        }
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: Waiting()), StopSignals.configuration { isDue }],
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        let running = Task { try await group.run() }
        if !isDue {
            try await Task.sleep(for: .milliseconds(50))
            await group.triggerGracefulShutdown()
        }
        try await running.value
    }

    @Test("a manager that is gone is an error, and nothing else")
    func gone() throws {
        let error = try #require(throws: SystemError.self) {
            try ServiceManager(socketName: "/tmp/nearcast-no-such-socket").send(.ready)
        }
        #expect(error.errno == .noSuchFileOrDirectory)
        #expect(throws: SystemError.self) {
            try ServiceManager(socketName: "/" + String(repeating: "x", count: 200)).send(.ready)
        }
    }

    @Test("the environment says whether a manager listens, and whether it watches this process")
    func environment() {
        func manager(_ variables: [String: String]) -> ServiceManager? {
            ServiceManager(environment: { variables[$0] }, process: 42)
        }
        #expect(manager([:]) == nil && manager(["NOTIFY_SOCKET": ""]) == nil)
        #expect(manager(["NOTIFY_SOCKET": "relative"]) == nil && manager(["NOTIFY_SOCKET": "@"]) == nil)
        #expect(manager(["NOTIFY_SOCKET": "/run/x"]).map { $0.watchdogInterval == nil } == true)
        let watched = ["NOTIFY_SOCKET": "@x", "WATCHDOG_USEC": "30000000"]
        #expect(manager(watched)?.watchdogInterval == .seconds(30))
        #expect(manager(watched.merging(["WATCHDOG_PID": "42"]) { $1 })?.watchdogInterval == .seconds(30))
        #expect(manager(watched.merging(["WATCHDOG_PID": "43"]) { $1 })?.watchdogInterval == nil)
        #expect(manager(["NOTIFY_SOCKET": "@x", "WATCHDOG_USEC": "0"])?.watchdogInterval == nil)
    }

    @Test("exit statuses tell what a restart can mend from what it cannot")
    func statuses() {
        #expect(ExitStatus(StartupFailure(["x"])) == .configuration)
        #expect(ExitStatus(StartupFailure(["x"], status: .system)) == .system)
        #expect(ExitStatus(ControlFailure(.conflict, "another nearcastd")) == .unavailable)
        #expect(ExitStatus(ControlFailure(.invalid, "a path")) == .configuration)
        #expect(ExitStatus(JournalProblem("x")) == .files)
        #expect(ExitStatus(SystemError(call: "bpf", errno: .notPermitted)) == .permission)
        #expect(ExitStatus(SystemError(call: "bpf", errno: .noMemory)) == .system)
        #expect(ExitStatus(CancellationError()) == nil)
    }
}
