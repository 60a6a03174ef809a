import Fixtures
import Foundation
import Testing

extension DaemonProcess {
    /// What `nearcast explain` says is what a client gets.
    @Suite(.serialized) struct Explanations {
        private static let tailored = """

              - {name: www.example.com, type: HTTPS, pool: web, policy: nearest, alpn: [h2]}
              - {name: _dns.example.com, type: SVCB, pool: web, policy: nearest, port: 853, alpn: [dot]}
              - {name: cdn.example.com, type: CNAME, pool: named, policy: nearest}
              - {name: _http._tcp.example.com, type: SRV, pool: named, policy: nearest, port: 8080}
              - {name: "*.app.example.com", pool: web, policy: nearest}
              - {name: www.inside.test, pool: web, policy: nearest}
            """

        private func world(_ name: String) throws -> World {
            let world = try World(name, fastPath: "{mode: off}")
            try world.replace("id: ber\n", "id: ber\n    hostname: ber.example.com\n")
            try world.replace("id: nyc\n", "id: nyc\n    hostname: nyc.example.com\n")
            try world.replace("policies:", "  - {id: named, nodes: [ber, nyc]}\npolicies:")
            try world.replace(
                "tailored:", "  - {origin: inside.test, file: inside.zone, deny: [192.0.2.0/24]}\ntailored:")
            world.configuration += Self.tailored
            try world.write(
                "example.com.zone", World.zone + "\nber A 198.51.100.10\nnyc A 198.51.100.20\n")
            try world.write("inside.zone", World.zone)
            return world
        }

        /// The number of records in a reply's answer section, and its scope.
        private func reply(_ world: World, _ name: String, _ type: UInt16) throws -> (count: Int, scope: Int) {
            let reply = try #require(try world.ask(name, type: type, subnet: "17.1.2.0/24"))
            // The option is the last: family, source, scope, three bytes of address.
            return (Int(reply[7]), Int(reply[reply.count - 4]))
        }

        @Test("every tailored type is explained with the records, the scope and the nodes that a client gets")
        func types() async throws {
            let world = try world("explain")
            let daemon = try await world.startReady()
            let cases: [(name: String, type: String, number: UInt16, answer: String, chosen: [String])] = [
                ("www.example.com", "A", 1, "198.51.100.20", ["nyc"]),
                ("www.example.com", "AAAA", 28, "2001:db8:20::1", ["nyc"]),
                (
                    "www.example.com", "HTTPS", 65, "1 . alpn=h2 ipv4hint=198.51.100.20 ipv6hint=2001:db8:20::1",
                    ["nyc", "nyc"]
                ),
                (
                    "_dns.example.com", "SVCB", 64,
                    "1 . alpn=dot port=853 ipv4hint=198.51.100.20 ipv6hint=2001:db8:20::1", ["nyc", "nyc"]
                ),
                ("cdn.example.com", "CNAME", 5, "CNAME nyc.example.com.", ["nyc"]),
                ("x.y.app.example.com", "A", 1, "198.51.100.20", ["nyc"]),
                ("_http._tcp.example.com", "SRV", 33, "0 256 8080 ber.example.com.", ["ber", "nyc"]),
            ]
            for (name, type, number, answer, chosen) in cases {
                let report = try world.object(
                    world.nearcast("explain", name, type, "--from", "17.1.2.0/24", "--json"))
                #expect((report["answers"] as? [String])?.first == answer, "\(name) \(type)")
                let choices = try #require(report["choices"] as? [[String: Any]])
                let candidates = choices.flatMap { $0["candidates"] as? [[String: Any]] ?? [] }
                #expect(
                    candidates.filter { $0["chosen"] as? Bool == true }.compactMap { $0["node"] as? String } == chosen)
                let reply = try reply(world, name, number)
                #expect((report["answers"] as? [String])?.count == reply.count, "\(name) \(type)")
                #expect(report["scope"] as? Int == reply.scope, "\(name) \(type)")
                #expect(report["epoch"] as? Int == 1 && report["path"] as? String == "slow path")
            }
            #expect(try await daemon.stop() == 0)
        }

        @Test("an access list looks at the sender, not at the client subnet")
        func access() async throws {
            let world = try world("access")
            let daemon = try await world.startReady()
            for (sender, code) in [("192.0.2.1", "REFUSED"), ("198.51.100.1", "NOERROR")] {
                let report = try world.object(
                    world.nearcast(
                        "explain", "www.inside.test", "--from", "17.1.2.0/24", "--sender", sender, "--json"))
                #expect(report["responseCode"] as? String == code)
                #expect((report["access"] as? [String: Any])?["isAdmitted"] as? Bool == (code == "NOERROR"))
            }
            let text = world.nearcast("explain", "www.inside.test", "--from", "192.0.2.7").output
            #expect(text.contains("inside.test., which denies 192.0.2.0/24: the sender is refused"), "\(text)")
            for (name, type, words) in [
                ("www.example.com", "TXT", "has no TXT records: every client gets an empty answer (NODATA)"),
                ("nope.example.com", "A", "does not exist in zone example.com.: every client gets NXDOMAIN"),
                ("www.elsewhere.test", "A", "is in no zone of this server: every client gets REFUSED"),
            ] {
                let run = world.nearcast("explain", name, type, "--from", "17.1.2.0/24")
                #expect(run.status == 1 && run.errors.contains(words), "\(run)")
            }
            #expect(try await daemon.stop() == 0)
        }

        @Test(
            "an option with an impossible value is a usage error",
            arguments: [
                ["explain", "www..example.com", "--from", "192.0.2.1"],
                ["explain", "www.example.com", "NONSENSE", "--from", "192.0.2.1"],
                ["explain", "www.example.com", "--from", "192.0.2.1/24"],
                ["explain", "www.example.com", "--from", "192.0.2.0/24", "--sender", "me"],
                ["simulate", "nearcast.yaml", "--type", "MX"], ["simulate", "nearcast.yaml", "--clients", "v5"],
                ["simulate", "nearcast.yaml", "--clients", "v4", "--log", "queries"],
                ["simulate", "nearcast.yaml", "--name", "www..example.com"],
            ])
        func usage(arguments: [String]) throws {
            let outcome = try World("usage").nearcast(arguments, socket: false)
            #expect(outcome.status == 64 && outcome.output.isEmpty, "\(outcome.errors)")
        }

        @Test("tiers with a minimum are shown with the nodes that they need and have")
        func minimums() async throws {
            let world = try World("minimums", fastPath: "{mode: off}")
            try world.replace(
                "policies:",
                """
                  - {id: first, nodes: [ber, nyc], minimum: 2}
                  - {id: second, nodes: [sin]}
                  - {id: tiers, pools: [first, second]}
                policies:
                  - {id: failover, strategy: failover}
                """)
            world.configuration += "\n  - {name: tiers.example.com, pool: tiers, policy: failover}\n"
            let daemon = try await world.startReady()
            func text() -> String { world.nearcast("explain", "tiers.example.com", "--from", "17.1.2.0/24").output }
            #expect(text().contains("tier 0 needs 2 usable nodes and has 2:"), "\(text())")
            #expect(world.nearcast("node", "set", "nyc", "down").status == 0)
            let explained = text()
            #expect(
                explained.contains("tier 0 needs 2 usable nodes and has 1: it comes after the other tiers"),
                "\(explained)")
            #expect(try await daemon.stop() == 0)
        }

        @Test("a node that is down is shown with the reason, and the next node is chosen")
        func states() async throws {
            let world = try world("down")
            let daemon = try await world.startReady()
            #expect(world.nearcast("node", "set", "nyc", "down").status == 0)
            let text = world.nearcast("explain", "www.example.com", "HTTPS", "--from", "17.1.2.0/24").output
            #expect(text.contains("is down") && text.contains("ipv4hint=198.51.100.10"), "\(text)")
            for node in ["ber", "sin"] { #expect(world.nearcast("node", "set", node, "down").status == 0) }
            let all = world.nearcast("explain", "www.example.com", "--from", "17.1.2.0/24").output
            #expect(all.contains("no node is usable: all are answered as if they were"), "\(all)")
            #expect(all.contains("chosen although down: no node is usable"), "\(all)")
            #expect(try await daemon.stop() == 0)
        }
    }
}
