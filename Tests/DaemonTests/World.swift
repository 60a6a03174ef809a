import BPFRuntime
import CFastPathABI
import Fixtures
import Foundation
import Glibc
import IPNetworks
import Testing

/// Everything that runs the daemon, one test at a time.
@Suite("Daemon", .serialized)
enum DaemonProcess {}

/// A machine for the daemon: a network, a folder, and a BPF file system that no other daemon sees.
final class World {
    let lab: NetworkLab
    let folder: URL
    /// Holds the mount namespace.
    private let holder = Process()
    private var daemons: [Daemon] = []
    var configuration: String

    /// The folder of the built programs and of the test bundle.
    private static let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()

    static let server4 = SocketEndpoint(address: .v4(0xc000_0235), port: 53)
    static let server6 = SocketEndpoint(address: .v6(0x2001_0db8_0053 << 80 | 0x53), port: 53)

    static let zone = """
        $TTL 300
        @ IN SOA ns1 hostmaster 1 3600 900 604800 300
        @ IN NS ns1
        ns1 IN A 192.0.2.53
        """

    init(_ name: String, fastPath: String = "{interfaces: [ncs0], mode: native}") throws {
        try #require(geteuid() == 0, "daemons are started by root: run as root")
        lab = try NetworkLab("d\(name)")
        folder = FileManager.default.temporaryDirectory.appending(path: "nct-\(getpid())-\(name)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        configuration = """
            listen: ["192.0.2.53:53", "[2001:db8:53::53]:53"]
            control: run/c.sock
            state: state
            fast_path: \(fastPath)
            geo: {database: city.mmdb}
            nodes:
              - id: ber
                addresses: [198.51.100.10, "2001:db8:10::1"]
                location: {latitude: 52.5, longitude: 13.4}
              - id: nyc
                addresses: [198.51.100.20, "2001:db8:20::1"]
                location: {latitude: 40.7, longitude: -74}
              - id: sin
                addresses: [198.51.100.30]
                location: {latitude: 1.35, longitude: 103.8}
            pools:
              - {id: web, nodes: [ber, nyc, sin]}
            policies:
              - {id: nearest}
            zones:
              - {origin: example.com, file: example.com.zone}
            tailored:
              - {name: www.example.com, pool: web, policy: nearest}
            """
        try write("example.com.zone", Self.zone)
        try write("city.mmdb", MMDBWriter.sample().bytes)
        let ready = Pipe()
        holder.executableURL = URL(filePath: "/usr/bin/env")
        holder.arguments = [
            "unshare", "--mount", "--propagation", "private", "sh", "-c",
            "mount -t bpf bpf /sys/fs/bpf && echo ready && exec sleep 1000",
        ]
        holder.standardOutput = ready
        try holder.run()
        try #require(ready.fileHandleForReading.availableData.starts(with: Data("ready".utf8)))
    }

    deinit {
        for daemon in daemons { daemon.kill(SIGKILL) }
        holder.terminate()
        holder.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    func write(_ file: String, _ bytes: [UInt8]) throws { try Data(bytes).write(to: url(file)) }

    func write(_ file: String, _ text: String) throws { try write(file, Array(text.utf8)) }

    func url(_ file: String) -> URL { folder.appending(path: file) }

    func exists(_ file: String) -> Bool { FileManager.default.fileExists(atPath: url(file).path) }

    /// Puts other words into the configuration, at the only place where `old` stands.
    func replace(_ old: String, _ new: String) throws {
        try #require(configuration.components(separatedBy: old).count == 2, "\(old) does not stand once")
        configuration = configuration.replacingOccurrences(of: old, with: new)
    }

    /// `file:line:column` of the last place where `text` stands in the configuration.
    func place(_ text: String) throws -> String {
        let range = try #require(configuration.range(of: text, options: .backwards))
        let lines = configuration[..<range.lowerBound].split(separator: "\n", omittingEmptySubsequences: false)
        return "\(url("c.yaml").path):\(lines.count):\((lines.last?.count ?? 0) + 1)"
    }

    /// What a command needs to run in this world.
    func inside(_ program: String, _ arguments: [String]) -> [String] {
        ["nsenter", "--mount=/proc/\(holder.processIdentifier)/ns/mnt", "--net=\(lab.server)", "--"]
            + [Self.programs.appending(path: program).path] + arguments
    }

    /// Starts the daemon; `ready` waits for it.
    func start(configuration file: String = "c.yaml", _ arguments: String...) throws -> Daemon {
        try write("c.yaml", configuration)
        let daemon = try Daemon(
            inside("nearcastd", ["--config", url(file).path] + arguments), log: url("log-\(daemons.count)"))
        daemons.append(daemon)
        return daemon
    }

    /// Writes the configuration as it is now, for a daemon that runs, by rename as editors do.
    func saveConfiguration() throws { try replaceFile("c.yaml", configuration) }

    /// Puts a new file in the place of one.
    func replaceFile(_ file: String, _ text: String) throws {
        try write("\(file).new", text)
        try #require(rename(url("\(file).new").path, url(file).path) == 0)
    }

    /// Starts the daemon and waits until it answers.
    func startReady() async throws -> Daemon {
        let daemon = try start()
        try await daemon.ready()
        // The line comes before the socket: its file says when commands are heard.
        try await eventually("the control socket") { self.exists("run/c.sock") && self.nearcast("status").status == 0 }
        return daemon
    }

    struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Runs a command of the `nearcast` tool against this world's daemon.
    func nearcast(_ arguments: String..., socket: Bool = true) -> Outcome { nearcast(arguments, socket: socket) }

    func nearcast(_ arguments: [String], socket: Bool = true) -> Outcome {
        let options = socket ? ["--socket", url("run/c.sock").path] : []
        return execute(inside("nearcast", arguments + options))
    }

    /// `nearcast detach` where no daemon of the machine is to be seen, so that other tests' are not either.
    func detachAlone() -> Outcome {
        var command = inside("nearcast", ["detach", "--socket", url("run/c.sock").path])
        command.insert(contentsOf: ["unshare", "--pid", "--fork", "--mount-proc"], at: 4)
        return execute(command)
    }

    private func execute(_ command: [String]) -> Outcome {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = output
        process.standardError = errors
        do { try process.run() } catch { return Outcome(status: -1, output: "", errors: "\(error)") }
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let failure = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
            errors: String(decoding: failure, as: UTF8.self))
    }

    /// Names pinned for the fast path in this world.
    var pinned: [String] {
        let root = "/proc/\(holder.processIdentifier)/root/sys/fs/bpf/nearcast"
        return ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).sorted()
    }

    /// Every pin of the fast path in this world, with its folder.
    func allPins() throws -> [String] {
        let root = "/proc/\(holder.processIdentifier)/root/sys/fs/bpf/nearcast"
        return try FileManager.default.subpathsOfDirectory(atPath: root).sorted()
    }

    /// Drains every node in the words that both paths read, as a successor may before it dies.
    func drainWords() throws {
        let root = "/proc/\(holder.processIdentifier)/root/sys/fs/bpf/nearcast"
        let words = try BPFMap.openPinned("\(root)/\(NC_LAYOUT_VERSION)-1/node_words").memoryMap(writable: true)
        for slot in 0..<Int(NC_MAX_NODES) * Int(NC_WORD_SETS.rawValue)
        where nc_word_state(words.loadWord(at: slot)) != NC_NODE_UNKNOWN.rawValue {
            words.storeWord(at: slot, nc_node_word(NC_NODE_DRAINED.rawValue, 0, 5, 0))
        }
    }

    /// Whether an XDP program is on the server's interface or on its loopback interface.
    var isAttached: Bool {
        get throws { try lab.serverIP("link", "show").contains("xdp") }
    }

    /// Nothing of a daemon is left but its files.
    func expectNothingLeft(_ comment: String = "") throws {
        #expect(pinned.isEmpty, "\(comment)")
        #expect(try !isAttached, "\(comment)")
        #expect(!exists("run/c.sock"), "\(comment)")
    }
}

/// Waits until the condition holds; throws after a minute.
func eventually(_ what: String, _ condition: () throws -> Bool) async throws {
    let start = ContinuousClock.now
    while ContinuousClock.now - start < .seconds(60) {
        if try condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    throw CommandFailure(description: "still waiting for \(what) after a minute")
}
