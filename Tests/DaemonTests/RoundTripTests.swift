import Fixtures
import Foundation
import IPNetworks
import Testing

extension World {
    /// Has Berlin's node learn from connections to port 8443, for a policy that ranks by what is learned and measured.
    fileprivate func learn(_ more: String = "") throws {
        configuration += "\nrtt: {node: ber, ports: [8443], file: learned.csv, minimum_samples: 5, every: 1s\(more)}\n"
        try replace(
            "  - {id: nearest}", "  - {id: nearest, strategy: latency, latency: [learned.csv, measured.csv]}")
    }

    /// Opens connections to a port from addresses in New York and in Paris.
    fileprivate func connect(_ count: Int, port: UInt16 = 8443) throws {
        let (newYork, paris) = (try #require(IPAddress("17.1.2.3")), try #require(IPAddress("2400:2000::1")))
        try lab.addClients(["\(newYork)", "\(paris)"])
        let service = try TCPService(at: lab.server, family: .v6, port: port)
        for _ in 0..<count {
            try service.serve(from: lab.client, client: newYork, at: #require(IPAddress(NetworkLab.server4)))
            try service.serve(from: lab.client, client: paris, at: #require(IPAddress(NetworkLab.server6)))
        }
    }

    fileprivate func learned() throws -> [String] {
        try String(contentsOf: url("learned.csv"), encoding: .utf8).split(separator: "\n").map(String.init)
            .filter { !$0.hasPrefix("#") }
    }

    fileprivate func digest() throws -> String {
        try #require(try object(nearcast("status", "--json"))["digest"] as? String)
    }

    /// The node that explain chooses for a client.
    fileprivate func chosen(_ client: String) throws -> String {
        nearcast("explain", "www.example.com", "A", "--from", client).output
    }
}

extension DaemonProcess {
    /// From connections to this machine's services to the order of nodes.
    @Suite(.serialized) struct RoundTrips {
        @Test("without `rtt` nothing is learned, and the command names the missing setting")
        func off() async throws {
            let world = try World("rttoff", fastPath: "{mode: off}")
            let daemon = try await world.startReady()
            let outcome = world.nearcast("rtt")
            #expect(outcome.status == 1 && outcome.errors.contains("this daemon learns no round-trip times"))
            #expect(outcome.errors.contains("add rtt: {node: ID, ports: [443]}"), "\(outcome.errors)")
            #expect(try world.object(world.nearcast("status", "--json"))["learning"] == nil)
            #expect(!daemon.log.contains("round-trip"))
            #expect(try await daemon.stop() == 0)
        }

        @Test("connections become lines of the latency file, which is reloaded, and survive a restart")
        func learns() async throws {
            let world = try World("rtt", fastPath: "{mode: off}")
            try world.learn()
            // Of the other nodes, measured elsewhere: farther than any connection in the lab.
            try world.write("measured.csv", "US,nyc,40\nFR,nyc,50\nUS,ber,999\n")
            let daemon = try await world.startReady()
            #expect(!world.exists("learned.csv"), "a file that is not there yet is none with an error")
            let before = try world.digest()
            try world.connect(8)
            try await eventually("the file") { (try? world.learned().count) == 3 }
            let places = try world.learned().map { $0.split(separator: ",").prefix(2).joined(separator: ",") }
            #expect(places == ["FR,ber", "US,ber", "US-New York,ber"])
            try await eventually("another model") { try world.digest() != before }
            // The file says that Berlin is close to New York, whatever the measured times are.
            let client = "17.1.2.3"
            let chosen = try world.chosen(client)
            #expect(chosen.contains("198.51.100.10"), "\(chosen)")
            let report = try world.object(world.nearcast("rtt", "--json"))
            #expect(report["counted"] as? Int == 16 && report["unplaced"] as? Int == 0, "\(report)")
            let csv = world.nearcast("rtt", "--csv").output
            #expect(csv.split(separator: "\n").count == 3 && csv.contains("US-New York,ber,0."), "\(csv)")
            #expect(world.nearcast("status").output.contains("learned.csv, 3 places, written "))
            #expect(world.nearcast("check", world.url("c.yaml").path, socket: false).status == 0)
            let digest = try world.digest()
            #expect(try await daemon.stop() == 0)
            // Learned times are read from the file only.
            let next = try await world.startReady()
            #expect(try world.digest() == digest)
            let kept = try world.object(world.nearcast("rtt", "--json"))["places"] as? [[String: Any]]
            #expect(kept?.count == 3 && kept?.allSatisfy { $0["published"] != nil } == true)
            #expect(try await next.stop() == 0)
        }

        @Test("a reload starts and stops learning, and changes the ports")
        func reload() async throws {
            let world = try World("rttreload", fastPath: "{mode: off}")
            let daemon = try await world.startReady()
            let plain = world.configuration
            world.configuration +=
                "\nrtt: {node: ber, ports: [9443], file: learned.csv, minimum_samples: 5, every: 1s}\n"
            try world.saveConfiguration()
            try await eventually("the learning") { world.nearcast("rtt").status == 0 }
            func counted() throws -> Int? { try world.object(world.nearcast("rtt", "--json"))["counted"] as? Int }
            try world.connect(2)
            try world.connect(1, port: 9443)
            try await eventually("connections to the learned port") { try counted() ?? 0 > 0 }
            #expect(try counted() == 2, "one connection from each place, and none to the other port")
            try world.replace("ports: [9443]", "ports: [9443, 8443]")
            try world.saveConfiguration()
            try await eventually("the other port") { world.nearcast("rtt").output.contains("9443, 8443") }
            try world.connect(5)
            try await eventually("the file") { world.exists("learned.csv") }
            world.configuration = plain
            try world.saveConfiguration()
            try await eventually("the end") { world.nearcast("rtt").status == 1 }
            #expect(try await daemon.stop() == 0)
        }

        @Test("an unwritable file is reported, and answers continue")
        func unwritable() async throws {
            let world = try World("rttfile", fastPath: "{mode: off}")
            try world.write("blocked", "a file, and no folder")
            world.configuration +=
                "\nrtt: {node: ber, ports: [8443], file: blocked/learned.csv, minimum_samples: 1, every: 1s}\n"
            let daemon = try await world.startReady()
            try world.connect(2)
            try await eventually("the problem") { world.nearcast("rtt").output.contains("cannot be written") }
            #expect(daemon.log.contains("name a file in rtt.file that nearcastd may write"))
            #expect(world.nearcast("status").output.contains("cannot be written"))
            // The operator makes room: the next attempt succeeds, without further connections.
            try FileManager.default.removeItem(at: world.url("blocked"))
            try await eventually("the file") { world.exists("blocked/learned.csv") }
            try await eventually("the end of the problem") { !world.nearcast("rtt").output.contains("cannot be") }
            #expect(try await daemon.stop() == 0)
        }
    }
}
