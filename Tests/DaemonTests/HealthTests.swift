import Fixtures
import Foundation
import Glibc
import IPNetworks
import Journal
import StateStore
import Testing

/// Servers of the nodes, on addresses of the server's side of a lab.
final class NodeServers {
    /// The nodes' own addresses are in use nowhere: these are checked instead.
    static let (berlin, newYork) = ("127.0.1.1", "127.0.1.2")

    private let world: World
    private var processes: [String: Process] = [:]

    init(_ world: World, _ addresses: [String]) async throws {
        self.world = world
        for address in addresses { try await start(address) }
    }

    deinit { for address in processes.keys { kill(address) } }

    /// Not the module's own command, which takes seconds to start: it looks up the host's name, and a lab has no name server.
    private static let program = """
        import functools, http.server, socketserver, sys
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[2])
        socketserver.ThreadingTCPServer.allow_reuse_address = True
        socketserver.ThreadingTCPServer((sys.argv[1], 8080), handler).serve_forever()
        """

    /// A small HTTP server.
    func start(_ address: String) async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "nsenter", "--net=\(world.lab.server)", "--", "python3", "-c", Self.program, address, world.folder.path,
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        processes[address] = process
        try await eventually("the server at \(address)") {
            (try? Fixtures.run([
                "nsenter", "--net=\(world.lab.server)", "--", "bash", "-c",
                "exec 2>/dev/null 3<>/dev/tcp/\(address)/8080",
            ])) != nil
        }
    }

    func signal(_ signal: Int32, _ address: String) {
        if let process = processes[address], process.isRunning { Glibc.kill(process.processIdentifier, signal) }
    }

    /// Its port refuses connections from now on.
    func kill(_ address: String) {
        signal(SIGKILL, address)
        processes[address]?.waitUntilExit()
        processes[address] = nil
    }
}

extension World {
    /// Has Berlin and New York checked at `NodeServers`, and Singapore not at all.
    func checkNodes(_ health: String, _ check: String) throws {
        for (place, address) in [("13.4", NodeServers.berlin), ("-74", NodeServers.newYork)] {
            let own = "{checks: [{\(check), address: \(address), port: 8080}]}"
            try replace("longitude: \(place)}\n", "longitude: \(place)}\n    health: \(own)\n")
        }
        configuration += "\nhealth: \(health)\n"
    }

    /// Seconds until the answer for Berlin's clients is `address`.
    func seconds(until address: String, since start: ContinuousClock.Instant = .now) async throws -> Double {
        while try self.address() != address {
            try #require(ContinuousClock.now - start < .seconds(60), "no answer \(address) in a minute")
            try await Task.sleep(for: .milliseconds(5))
        }
        let took = ContinuousClock.now - start
        return Double(took.components.seconds) + Double(took.components.attoseconds) * 1e-18
    }

    func state(_ node: String) throws -> String? {
        try object(nearcast("node", "show", node, "--json"))["state"] as? String
    }
}

/// `nearcast watch` as it goes on.
final class Watch {
    private let process = Process()
    private let output: URL

    init(_ command: [String], output: URL) throws {
        self.output = output
        try Data().write(to: output)
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The objects it has printed of a node.
    func lines(of node: String) throws -> [[String: Any]] {
        try String(contentsOf: output, encoding: .utf8).split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }.filter { $0["node"] as? String == node }
    }

    /// The first objects that it prints of a node, once there are so many.
    func lines(_ count: Int, of node: String) async throws -> [[String: Any]] {
        var lines: [[String: Any]] = []
        try await eventually("\(count) changes") {
            lines = try self.lines(of: node)
            return lines.count >= count
        }
        return Array(lines.prefix(count))
    }
}

extension World {
    /// Starts watching, and returns when changes are seen: it changes Singapore for that.
    func watch() async throws -> Watch {
        let watch = try Watch(
            inside("nearcast", ["watch", "--json", "--socket", url("run/c.sock").path]), output: url("watch"))
        try await eventually("the first change that is seen") {
            for state in ["down", "auto"] { #expect(self.nearcast("node", "set", "sin", state).status == 0) }
            return try !watch.lines(of: "sin").isEmpty
        }
        return watch
    }
}

extension DaemonProcess {
    /// From events at a node to the answers in packets.
    @Suite(.serialized) struct Health {
        static let (berlin, newYork) = (Service.berlin, Service.newYork)
        static let quick = "{interval: 300ms, timeout: 200ms, fall: 3, rise: 2, slow_start: 0s}"

        @Test(
            "a killed node leaves the answers after `fall` intervals and no sooner, and returns after `rise` intervals",
            arguments: ["{mode: off}", "{interfaces: [ncs0], mode: native}"])
        func refused(fastPath: String) async throws {
            let world = try World("refused", fastPath: fastPath)
            let servers = try await NodeServers(world, [NodeServers.berlin, NodeServers.newYork])
            try world.checkNodes("{interval: 1s, timeout: 500ms, fall: 3, rise: 2, slow_start: 0s}", "type: tcp")
            let daemon = try await world.startReady()
            try await eventually("the first verdict") { try world.state("ber") == "up" }
            #expect(try world.address() == Self.berlin)

            servers.kill(NodeServers.berlin)
            let down = try await world.seconds(until: Self.newYork)
            #expect(down > 1.5, "\(down) s")
            try await servers.start(NodeServers.berlin)
            _ = try await world.seconds(until: Self.berlin)

            let history = world.nearcast("node", "history", "ber", "--json")
            let changes = try #require(
                try JSONSerialization.jsonObject(with: Data(history.output.utf8)) as? [[String: Any]])
            #expect(changes.map { $0["to"] as? String } == ["up", "down", "up"])
            #expect(changes[1]["evidence"] as? String == "tcp 127.0.1.1:8080: connection refused")
            #expect(try await daemon.stop() == 0)
        }

        @Test("a node that hangs leaves after its timeouts, and so does one that answers wrongly")
        func silent() async throws {
            let world = try World("silent", fastPath: "{mode: off}")
            let servers = try await NodeServers(world, [NodeServers.berlin, NodeServers.newYork])
            try world.checkNodes(
                "{interval: 500ms, timeout: 300ms, fall: 3, rise: 1, slow_start: 0s, brake: off}", "type: http")
            let daemon = try await world.startReady()
            try await eventually("the first verdict") { try world.state("ber") == "up" }
            servers.signal(SIGSTOP, NodeServers.berlin)
            _ = try await world.seconds(until: Self.newYork)
            servers.signal(SIGCONT, NodeServers.berlin)
            _ = try await world.seconds(until: Self.berlin)

            // Now the page is missing, which the configuration says while the daemon runs.
            try world.replace("type: http, address: 127.0.1.1", "type: http, path: /gone, address: 127.0.1.1")
            try world.saveConfiguration()
            _ = try await world.seconds(until: Self.newYork)
            let shown = world.nearcast("node", "show", "ber").output
            #expect(shown.contains("http 127.0.1.1:8080/gone") && shown.contains("status 404"), "\(shown)")
            #expect(try await daemon.stop() == 0)
        }

        @Test("a restart after a crash changes no state and no answer, and the journal continues")
        func restart() async throws {
            let world = try World("restart", fastPath: "{mode: off}")
            let servers = try await NodeServers(world, [NodeServers.berlin, NodeServers.newYork])
            try world.checkNodes(Self.quick, "type: tcp")
            var daemon = try await world.startReady()
            try await eventually("the first verdict") { try world.state("ber") == "up" }
            servers.kill(NodeServers.berlin)
            try await eventually("the fall") { try world.state("ber") == "down" }
            #expect(try world.address() == Self.newYork)
            try await eventually("the journal") { try world.kept("ber")?.verdict == "down" }
            try await daemon.crash()
            daemon = try await world.startReady()
            #expect(try world.state("ber") == "down")
            #expect(try world.address() == Self.newYork)
            try await servers.start(NodeServers.berlin)
            try await eventually("the recovery") { try world.state("ber") == "up" }
            let numbers = try world.numbers(of: "ber")
            #expect(numbers.count == 3 && numbers == Array(Set(numbers)).sorted(), "\(numbers)")
            #expect(try await daemon.stop() == 0)
        }

        @Test("drain, undrain and maintenance move answers at once, override checks, and reach watchers")
        func wishes() async throws {
            let world = try World("wishes", fastPath: "{mode: off}")
            let servers = try await NodeServers(world, [NodeServers.berlin, NodeServers.newYork])
            try world.checkNodes(Self.quick, "type: tcp")
            let daemon = try await world.startReady()
            try await eventually("the first verdict") { try world.state("ber") == "up" && world.state("nyc") == "up" }
            let watch = try await world.watch()
            #expect(world.nearcast("node", "drain", "ber", "--reason", "disks", "--author", "ann").status == 0)
            #expect(try world.address() == Self.newYork)
            #expect(world.nearcast("node", "undrain", "ber").status == 0)
            #expect(try world.address() == Self.berlin)
            #expect(world.nearcast("node", "maintenance", "ber", "--for", "5s").status == 0)
            #expect(try world.address() == Self.newYork)
            _ = try await world.seconds(until: Self.berlin)
            let lines = try await watch.lines(4, of: "ber")
            #expect(lines.map { $0["to"] as? String } == ["drained", "up", "maintenance", "up"])
            #expect(lines[0]["author"] as? String == "uid 0 (root): ann, disks")
            withExtendedLifetime(servers) {}
            #expect(try await daemon.stop() == 0)
        }

        @Test(
            "when a node of a region fails, the others keep the share that they can carry, also after a restart"
        )
        func region() async throws {
            let world = try World("region", fastPath: "{mode: off}")
            world.configuration += "\nregions: [{id: all, nodes: [ber, nyc, sin], threshold: 100}]\n"
            var daemon = try await world.startReady()
            func share(_ node: String) throws -> Int? {
                try world.object(world.nearcast("node", "show", node, "--json"))["share"] as? Int
            }
            #expect(try share("ber") == 256 && world.state("ber") == "up")
            #expect(world.nearcast("node", "set", "nyc", "down").status == 0)
            try await eventually("the region's shares") { try share("ber") == 170 && share("sin") == 170 }
            #expect(try world.state("ber") == "degraded")
            let shown = world.nearcast("node", "show", "ber").output
            #expect(shown.contains("all: leaves 66 % of the share"), "\(shown)")
            #expect(world.nearcast("status").output.contains("degraded"))
            try await daemon.crash()
            daemon = try await world.startReady()
            #expect(try share("ber") == 170 && world.state("ber") == "degraded")
            #expect(world.nearcast("node", "set", "nyc", "auto").status == 0)
            try await eventually("the whole share") { try share("ber") == 256 && world.state("ber") == "up" }
            let history = world.nearcast("node", "history", "ber", "--json")
            let changes = try #require(
                try JSONSerialization.jsonObject(with: Data(history.output.utf8)) as? [[String: Any]])
            #expect(changes.prefix(2).map { $0["to"] as? String } == ["up", "degraded"])
            #expect(changes.prefix(2).map { $0["cause"] as? String } == ["region", "region"])
            #expect(try await daemon.stop() == 0)
        }

        @Test("the last usable node of a pool is drained only with --force")
        func last() async throws {
            let world = try World("last", fastPath: "{mode: off}")
            let daemon = try await world.startReady()
            #expect(world.nearcast("node", "drain", "nyc").status == 0)
            #expect(world.nearcast("node", "set", "sin", "down").status == 0)
            let refused = world.nearcast("node", "drain", "ber")
            #expect(refused.status == 1)
            #expect(
                refused.errors == """
                    nearcast: node ber is the last usable node of pool web
                      bring another node up first, or use --force

                    """)
            #expect(try world.address() == Self.berlin)
            #expect(world.nearcast("node", "drain", "ber", "--force").status == 0)
            #expect(daemon.log.contains("no node of the pool is usable"))
            #expect(try world.address() == Self.berlin, "the policy's rule is open")
            #expect(try await daemon.stop() == 0)
        }
    }
}
