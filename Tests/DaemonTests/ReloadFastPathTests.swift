import CFastPathABI
import Fixtures
import Foundation
import Glibc
import IPNetworks
import Testing

extension DaemonProcess {
    /// Reloads and the program.
    @Suite(.serialized) struct ReloadingFastPath {
        @Test("a tailored name is added to the program, and removed from it")
        func tailoredName() async throws {
            let world = try World("names")
            world.configuration += "\nwatch: false"
            let daemon = try await world.startReady()
            let without = world.configuration
            #expect(try world.code("api.example.com") == 3)
            world.configuration = without.replacingOccurrences(
                of: "tailored:", with: "tailored:\n  - {name: api.example.com, pool: web, policy: nearest}")
            try world.saveConfiguration()
            #expect(world.nearcast("reload").status == 0)
            var answered = try world.answeredByProgram()
            #expect(try world.ask("api.example.com").map { Array($0[45..<49]) } == [198, 51, 100, 10])
            #expect(try world.address() == Service.berlin)
            #expect(try world.answeredByProgram() == answered + 2)
            world.configuration = without
            try world.saveConfiguration()
            #expect(world.nearcast("reload").status == 0)
            answered = try world.answeredByProgram()
            #expect(try world.code("api.example.com") == 3)
            #expect(try world.answeredByProgram() == answered + 1, "that there is no such name the program says too")
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
        }

        @Test("states of nodes survive reloads that add and remove nodes")
        func nodes() async throws {
            let world = try World("nodes")
            world.configuration += "\nwatch: false"
            let daemon = try await world.startReady()
            #expect(world.nearcast("node", "set", "ber", "down").status == 0)
            let before = world.configuration
            try world.replace(
                "  - id: nyc",
                """
                  - id: par
                    addresses: [198.51.100.40]
                    location: {latitude: 48.9, longitude: 2.4}
                  - id: nyc
                """)
            try world.replace("[ber, nyc, sin]", "[ber, nyc, sin, par]")
            try world.saveConfiguration()
            #expect(world.nearcast("reload").status == 0)
            #expect(try world.address() == "198.51.100.40", "the new node takes Berlin's clients from the first packet")
            #expect(world.nearcast("node", "set", "par", "drained").status == 0)
            #expect(try world.address() == Service.newYork)
            // Without it and with it again: it is drained still, in its slot.
            let with = world.configuration
            let slot = try world.object(world.nearcast("node", "show", "par", "--json"))["slot"] as? Int
            world.configuration = before
            try world.saveConfiguration()
            #expect(world.nearcast("reload").status == 0)
            #expect(world.nearcast("node", "show", "par").status == 1)
            world.configuration = with
            try world.saveConfiguration()
            #expect(world.nearcast("reload").status == 0)
            #expect(try world.address() == Service.newYork)
            let again = try world.object(world.nearcast("node", "show", "par", "--json"))
            #expect(again["state"] as? String == "drained" && again["slot"] as? Int == slot)
            #expect(world.nearcast("node", "set", "ber", "up").status == 0)
            #expect(try world.address() == Service.berlin)
            #expect(try world.answeredByProgram() == 4)
            #expect(try await daemon.stop() == 0)
        }

        @Test("a model too large for the tables gets a larger program, and no query is lost")
        func growth() async throws {
            let world = try World("growth")
            world.configuration = "watch: false\n" + world.configuration
            let daemon = try await world.startReady()
            #expect(world.nearcast("node", "set", "ber", "down").status == 0)
            let answer = try #require(try world.ask())
            let traffic = try world.traffic([("www.example.com", [answer])])
            let answered = try world.answeredByProgram()
            for round in 1...3 {
                world.configuration += (0..<300 * round).map {
                    "\n  - {name: n\(round)-\($0).example.com, pool: web, policy: nearest}"
                }.joined()
                try world.saveConfiguration()
                let outcome = world.nearcast("reload", "--json")
                let report = try world.object(outcome)
                #expect(report["fastPath"] as? String == "program", "\(outcome.output)")
                #expect(try world.code("n\(round)-7.example.com") == 0)
                #expect(world.pinned == ["\(NC_LAYOUT_VERSION)-\(round + 1)", "link-ncs0"])
            }
            let tally = traffic.stop()
            #expect(tally.lost == 0)
            #expect(tally.wrong.isEmpty, "\(tally.wrong)")
            #expect(try world.answeredByProgram() > answered + 100, "the counters go on")
            #expect(world.nearcast("node", "set", "ber", "up").status == 0)
            #expect(try world.address() == Service.berlin)
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
        }

        @Test("fifty reloads under traffic on both paths lose no query, mix no models and leak nothing")
        func traffic() async throws {
            let world = try World("traffic")
            world.configuration += "\nwatch: false"
            let daemon = try await world.startReady()
            let configurations = [world.configuration, try world.turned()]
            func turn(_ epoch: Int) throws {
                world.configuration = configurations[epoch % 2]
                try world.saveConfiguration()
                try world.writeZone(
                    serial: epoch + 1,
                    "host IN A 10.0.\(epoch % 2).1\nhost IN A 10.0.\(epoch % 2).2\nhost IN A 10.0.\(epoch % 2).3")
                let outcome = world.nearcast("reload")
                #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            }
            var answers: [String: [[UInt8]]] = [:]
            for epoch in 0..<12 {
                try turn(epoch)
                for name in ["www.example.com", "host.example.com"] where epoch < 2 {
                    answers[name, default: []].append(try #require(try world.ask(name)))
                }
            }
            let (memory, descriptors, pins) = (daemon.residentKilobytes, daemon.descriptors, try world.allPins())
            let tables = try world.kernelBytes()
            let clients = try ["www.example.com", "host.example.com"].map {
                try world.traffic([($0, answers[$0] ?? [])])
            }
            for epoch in 12..<62 { try turn(epoch) }
            for (client, path) in zip(clients, ["program", "user space"]) {
                let tally = client.stop()
                #expect(tally.lost == 0, "\(path)")
                #expect(tally.wrong.isEmpty, "\(path): \(tally.wrong)")
                #expect(tally.byAnswer.allSatisfy { $0 > 100 }, "\(path): \(tally.byAnswer)")
            }
            #expect(try world.epoch() == 63)
            #expect(daemon.descriptors == descriptors)
            #expect(try world.allPins() == pins)
            #expect(try world.kernelBytes() == tables)
            #expect(
                daemon.residentKilobytes < memory + 4096, "\(memory) KiB before, \(daemon.residentKilobytes) after")
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
        }
    }
}

extension World {
    /// The configuration with other nodes' addresses, another order and another TTL.
    fileprivate func turned() throws -> String {
        var text = configuration
        for (old, new) in [
            ("198.51.100.10", "198.51.100.110"), ("198.51.100.20", "198.51.100.120"),
            ("policies:\n  - {id: nearest}", "policies:\n  - {id: nearest, answers: 2, ttl: {min: 10, max: 77}}"),
            ("latitude: 52.5, longitude: 13.4", "latitude: 40.5, longitude: -73"),
        ] {
            try #require(text.contains(old))
            text = text.replacingOccurrences(of: old, with: new)
        }
        return text
    }

    /// A client that asks these without a pause, with the answers that are right.
    func traffic(_ names: [(String, [[UInt8]])]) throws -> Traffic {
        let queries = try names.map { name, answers in
            var query = QueryBuilder(name, type: 1)
            let prefix = try #require(IPPrefix("16.0.0.0/24"))
            query.opt = QueryBuilder.OPT()
            query.opt?.add(subnet: prefix.address, length: prefix.length)
            return (message: query.message, answers: answers)
        }
        return Traffic(try DNSClient(in: lab.client, to: Self.server4), queries)
    }

    /// Bytes of the kernel's tables, as the daemon reports them.
    fileprivate func kernelBytes() throws -> Int {
        let memory = try object(nearcast("status", "--json"))["memory"] as? [[String: Any]] ?? []
        return memory.filter { ($0["table"] as? String)?.hasPrefix("kernel: ") == true }
            .reduce(0) { $0 + ($1["bytes"] as? Int ?? 0) }
    }
}
