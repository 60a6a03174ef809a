import Fixtures
import Foundation
import Glibc
import IPNetworks
import Testing

extension World {
    /// What the first answer says, from the client's side of the network.
    func ask(
        _ name: String = "www.example.com", type: UInt16 = 1, subnet: String = "16.0.0.0/24", stream: Bool = false
    ) throws -> [UInt8]? {
        var query = QueryBuilder(name, type: type)
        let prefix = try #require(IPPrefix(subnet))
        query.opt = QueryBuilder.OPT()
        query.opt?.add(subnet: prefix.address, length: prefix.length)
        let client = try DNSClient(in: lab.client, to: Self.server4, stream: stream)
        return stream ? client.askStream(query.message) : client.ask(query.message)
    }

    /// The only address of an answer to `ask`, nil without an answer.
    func address(subnet: String = "16.0.0.0/24", stream: Bool = false) throws -> String? {
        guard let reply = try ask(subnet: subnet, stream: stream) else { return nil }
        // Header 12, question 21, then one record: pointer, type, class, TTL, length, address.
        try #require(reply[7] == 1 && reply[3] & 15 == 0, "\(reply)")
        return IPAddress(bytes: reply[45..<49])?.description
    }

    /// Packets the program answered, as the daemon reports them.
    func answeredByProgram() throws -> Int {
        let report = try object(nearcast("inspect", "counters", "--json"))
        return (report["fastPath"] as? [String: Int])?["answered"] ?? 0
    }

    func object(_ outcome: Outcome) throws -> [String: Any] {
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    }
}

extension DaemonProcess {
    /// A daemon's life without and with a fast path.
    @Suite(.serialized) struct Service {
        static let (berlin, newYork, singapore) = ("198.51.100.10", "198.51.100.20", "198.51.100.30")

        @Test("with any umask, files belong to their owner, and the control socket to the group too")
        func modes() async throws {
            let world = try World("modes", fastPath: "{mode: off}")
            let before = umask(0)
            let daemon: Daemon
            do {
                defer { umask(before) }
                daemon = try await world.startReady()
            }
            #expect(world.nearcast("node", "set", "ber", "down").status == 0)
            func mode(_ path: String) throws -> Int {
                let attributes = try FileManager.default.attributesOfItem(atPath: world.url(path).path)
                return try #require(attributes[.posixPermissions] as? Int)
            }
            #expect(try mode("run") == 0o750)
            #expect(try mode("run/c.sock") == 0o660)
            #expect(try mode("state") & 0o077 == 0)
            let files = try FileManager.default.contentsOfDirectory(atPath: world.url("state").path)
            #expect(!files.isEmpty)
            for file in files { #expect(try mode("state/\(file)") == 0o600, "\(file)") }
            // Between bind and chmod too: what the process makes is closed from its start.
            #expect(daemon.kernelStatus.contains("Umask:\t0077"), "\(daemon.kernelStatus)")
            #expect(try await daemon.stop() == 0)
        }

        @Test("without a fast path it answers over UDP and TCP, and SIGTERM ends it")
        func userSpace() async throws {
            let world = try World("user", fastPath: "{mode: off}")
            let daemon = try await world.startReady()
            #expect(world.pinned.isEmpty)
            #expect(try !world.isAttached)
            for stream in [false, true] {
                #expect(try world.address(stream: stream) == Self.berlin)
                #expect(try world.address(subnet: "17.1.0.0/24", stream: stream) == Self.newYork)
                #expect(try world.address(subnet: "18.2.3.0/24", stream: stream) == Self.singapore)
            }
            let ns = try #require(try world.ask("ns1.example.com"))
            #expect(ns[7] == 1)
            #expect(try world.ask("nothing.example.com").map { $0[3] & 15 } == 3, "NXDOMAIN")
            #expect(try world.ask("example.net").map { $0[3] & 15 } == 5, "REFUSED")
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
        }

        @Test(
            "every command succeeds, with valid JSON and with text",
            arguments: [
                ["status"], ["explain", "www.example.com", "A", "--from", "16.0.0.0/24"],
                ["explain", "www.example.com", "AAAA", "--from", "2400:1000::1"], ["node", "list"],
                ["node", "show", "ber"],
                ["node", "set", "ber", "up"], ["inspect", "names"], ["inspect", "location", "--prefix", "17.1.2.0/24"],
                ["inspect", "nodes"], ["inspect", "counters"], ["reload"],
            ])
        func commands(command: [String]) async throws {
            let world = try World("commands", fastPath: "{mode: off}")
            let daemon = try await world.startReady()
            let text = world.nearcast(command)
            #expect(text.status == 0 && text.errors.isEmpty, "\(text.errors)")
            #expect(!text.output.isEmpty)
            let json = world.nearcast(command + ["--json"])
            #expect(json.status == 0 && json.errors.isEmpty, "\(json.errors)")
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(json.output.utf8)) }
            #expect(try await daemon.stop() == 0)
        }

        @Test(
            "commands that cannot succeed fail with a reason",
            arguments: [
                ["explain", "ns1.example.com", "--from", "16.0.0.0/24"],
                ["node", "set", "nobody", "up"], ["node", "show", "nobody"], ["inspect", "location", "--prefix", "x"],
            ])
        func failingCommands(command: [String]) async throws {
            let world = try World("failing", fastPath: "{mode: off}")
            let daemon = try await world.startReady()
            let outcome = world.nearcast(command)
            #expect(outcome.status == 1)
            #expect(outcome.errors.hasPrefix("nearcast: "), "\(outcome.errors)")
            #expect(try await daemon.stop() == 0)
            let gone = world.nearcast("status")
            #expect(gone.status == 1)
            #expect(gone.errors.contains(world.url("run/c.sock").path), "\(gone.errors)")
        }

        @Test("a sound configuration passes the check")
        func check() throws {
            let world = try World("sound")
            try world.write("c.yaml", world.configuration)
            let outcome = world.nearcast(["check", world.url("c.yaml").path], socket: false)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
            let report = try world.object(
                world.nearcast(["check", "--json", world.url("c.yaml").path], socket: false))
            #expect(report["ok"] as? Bool == true)
        }

        @Test("a change of a node's state moves the next answer, and survives a restart")
        func nodeState() async throws {
            let world = try World("state", fastPath: "{mode: off}")
            var daemon = try await world.startReady()
            #expect(world.nearcast("node", "set", "ber", "down", "--reason", "maintenance").status == 0)
            #expect(try world.address() == Self.newYork)
            #expect(try await daemon.stop() == 0)
            daemon = try await world.startReady()
            #expect(try world.address() == Self.newYork)
            #expect(world.nearcast("node", "set", "ber", "up").status == 0)
            #expect(try world.address() == Self.berlin)
            // A crash loses nothing either.
            #expect(world.nearcast("node", "set", "nyc", "drained").status == 0)
            try await daemon.crash()
            daemon = try await world.startReady()
            #expect(try world.address(subnet: "17.1.0.0/24") == Self.berlin)
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
        }
    }
}
