import Access
import ControlFailures
import Fixtures
import Foundation
import ManagementClient
import Testing

extension World {
    private static let poster = """
        import json, ssl, sys, urllib.request
        url, token, authorities, body = sys.argv[1:5]
        context = ssl.create_default_context(cafile=authorities) if authorities else None
        if context: context.check_hostname = False
        request = urllib.request.Request(url, body.encode(), {"Authorization": "Bearer " + token})
        try:
            with urllib.request.urlopen(request, context=context, timeout=60) as reply: print(reply.status, reply.read().decode())
        except urllib.error.HTTPError as error: print(error.code, error.read().decode())
        """

    /// A hundred changes of a node's state over one connection, and the status of each reply.
    fileprivate static let flapper = """
        import http.client, json, ssl, sys
        host, token, authorities = sys.argv[1:4]
        context = ssl.create_default_context(cafile=authorities)
        context.check_hostname = False
        connection = http.client.HTTPSConnection(host, 8453, context=context, timeout=60)
        for number in range(100):
            body = json.dumps({"state": "degraded" if number % 2 == 0 else "auto"})
            connection.request("POST", "/v1/nodes/ber/report", body, {"Authorization": "Bearer " + token})
            reply = connection.getresponse()
            reply.read()
            print(reply.status)
        """

    /// Posts a body from the client's side; status and body of the reply.
    func post(_ path: String, _ body: String, token: String, authorities: String) throws -> String {
        try run([
            "nsenter", "--net=\(lab.client)", "--", "python3", "-c", Self.poster, "https://192.0.2.53:8453\(path)",
            token, authorities, body,
        ])
    }

    func shown(_ node: String) throws -> [String: Any] {
        try object(nearcast("node", "show", node, "--json"))
    }
}

extension DaemonProcess {
    /// What nodes, agents and other observers say.
    @Suite(.serialized) struct Reports {
        static let (berlin, newYork) = (Service.berlin, Service.newYork)

        @Test("a node that reports is up, a silent one is not, and a node may lower its own state below its checks")
        func heartbeats() async throws {
            let world = try World("report", fastPath: "{mode: off}")
            let files = try CertificateFiles("192.0.2.53")
            let tokens = ["node ber", "node nyc", "external tower"].map { words in
                let words = words.split(separator: " ").map(String.init)
                let token = BearerTokens.make()
                return (token, BearerTokens.line(words[0], words[1], token: token))
            }
            try world.write("tokens", tokens.map(\.1).joined(separator: "\n"))
            try world.replace(
                "longitude: 13.4}\n", "longitude: 13.4}\n    health: {checks: [{type: report}], slow_start: 0s}\n")
            world.configuration += """

                health:
                  reports:
                    missing_after: 3s
                    listen: ["192.0.2.53:8453"]
                    tokens: tokens
                    certificate: \(files.certificate)
                    key: \(files.key)
                """
            var daemon = try await world.startReady()
            func report(_ body: String, node: String = "ber", as index: Int = 0) throws -> String {
                try world.post(
                    "/v1/nodes/\(node)/report", body, token: tokens[index].0, authorities: files.certificate)
            }
            // Unknown is used only when nothing else is.
            #expect(try world.address() == Self.newYork)
            #expect(
                try report(#"{"load": 40, "capacity": 100, "connections": 7, "peers": {"nyc": 80.5, "x": 1}}"#)
                    == #"200 {"authority":"checks","ignored":["peers.x"],"node":"ber","state":"up","validSeconds":3}"#
                    + "\n")
            #expect(try world.address() == Self.berlin)
            let shown = try #require(try world.shown("ber")["reported"] as? [String: Any])
            #expect(shown["load"] as? Double == 40 && shown["capacity"] as? Double == 100)
            #expect(shown["connections"] as? Int == 7 && shown["peers"] as? [String: Double] == ["nyc": 80.5])
            // Whoever has another's token, or none, says nothing of it.
            #expect(try report("{}", as: 1).hasPrefix("403 "))
            #expect(
                try world.post("/v1/nodes/ber/report", "{}", token: "none", authorities: files.certificate).hasPrefix(
                    "401 "))

            _ = try await world.seconds(until: Self.newYork)
            let history = world.nearcast("node", "history", "ber").output
            #expect(history.contains("no report within 3 s"), "\(history)")

            _ = try report(#"{"state": "drained", "reason": "deploying", "forSeconds": 600}"#)
            #expect(try world.state("ber") == "drained")
            // What a node says outlives the process.
            try await eventually("the journal") {
                world.nearcast("node", "history", "ber").output.contains("deploying")
            }
            try await daemon.crash()
            daemon = try await world.startReady()
            #expect(try world.state("ber") == "drained")
            // A successor binds the same address while the predecessor holds it, and hears the next report.
            let successor = try world.start("--takeover")
            try await successor.ready()
            #expect(try await daemon.ended() == 0)
            daemon = successor
            #expect(try world.state("ber") == "drained")
            _ = try report("{}")
            #expect(try world.address() == Self.berlin)
            #expect(try report(#"{"state": "down", "reason": "no disk"}"#).contains(#""state":"down""#))
            #expect(try world.address() == Self.newYork)
            #expect(try await daemon.stop() == 0)
        }

        @Test("agents and programs override checks, people override both, and overrides expire")
        func agents() async throws {
            let world = try World("agents", fastPath: "{mode: off}")
            let daemon = try await world.startReady()
            #expect(try world.address() == Self.berlin)
            let said = world.nearcast(
                "node", "report", "ber", "--state", "down", "--for", "5s", "--reason", "no light", "--author", "tower")
            #expect(said.output == "ber is down by external, for 5 s\n", "\(said.errors)")
            #expect(try world.address() == Self.newYork)
            #expect(world.nearcast("node", "report", "ber", "--state", "up", "--automation").status == 0)
            #expect(try world.address() == Self.berlin)
            #expect(world.nearcast("node", "drain", "ber").status == 0)
            #expect(try world.address() == Self.newYork)
            #expect(world.nearcast("node", "undrain", "ber").status == 0)
            #expect(world.nearcast("node", "report", "ber", "--state", "auto", "--automation").status == 0)
            _ = try await world.seconds(until: Self.berlin)
            let shown = try world.shown("ber")
            #expect(shown["state"] as? String == "up" && shown["authority"] as? String == "checks")
            let wrong = world.nearcast("node", "report", "ber", "--load=-1")
            #expect(wrong.status == 1 && wrong.errors.contains("load is out of its range"), "\(wrong.errors)")
            #expect(try await daemon.stop() == 0)
        }

        @Test("a token that changes a node too often has to wait, but not for another node, and the operator does not")
        func pace() async throws {
            let world = try World("pace", fastPath: "{mode: off}")
            let files = try CertificateFiles("192.0.2.53")
            let token = BearerTokens.make()
            try world.write("tokens", BearerTokens.line("external", "tower", token: token))
            world.configuration += """

                health:
                  reports:
                    listen: ["192.0.2.53:8453"]
                    tokens: tokens
                    certificate: \(files.certificate)
                    key: \(files.key)
                """
            let daemon = try await world.startReady()
            let began = ContinuousClock.now
            let statuses = try run([
                "nsenter", "--net=\(world.lab.client)", "--", "python3", "-c", World.flapper, "192.0.2.53", token,
                files.certificate,
            ]).split(separator: "\n")
            #expect(statuses.count == 100)
            // Sixty at once, and one more for each second that has passed meanwhile.
            let most = 61 + Int((ContinuousClock.now - began) / .seconds(1))
            #expect((60...most).contains(statuses.count { $0 == "200" }), "\(statuses)")
            #expect(statuses.allSatisfy { $0 == "200" || $0 == "429" }, "\(statuses)")
            let changes = try world.numbers(of: "ber").count
            #expect((60...most).contains(changes), "\(changes)")
            let other = try world.post(
                "/v1/nodes/nyc/report", #"{"state": "degraded"}"#, token: token, authorities: files.certificate)
            #expect(other.hasPrefix("200 "), "\(other)")
            #expect(world.nearcast("node", "set", "ber", "down").status == 0)
            #expect(try await daemon.stop() == 0)
        }

        @Test("two of three observers decide, and the daemon's own checks count as one")
        func observers() async throws {
            let world = try World("observers", fastPath: "{mode: off}")
            // It asks itself: the name server that is asked is this daemon.
            let own = "{checks: [{type: dns, name: ns1.example.com, record: A, address: 192.0.2.53}]}"
            try world.replace("longitude: 13.4}\n", "longitude: 13.4}\n    health: \(own)\n")
            world.configuration +=
                "\nhealth: {interval: 1s, timeout: 900ms, slow_start: 0s, observers: [ams, sea]}\n"
            let daemon = try await world.startReady()
            func say(_ verdict: String, _ observer: String) throws {
                let client = ControlClient(path: world.url("run/c.sock").path)
                let body = Array(#"{"verdicts": {"ber": "\#(verdict)"}}"#.utf8)
                _ = try client.send("POST", "/v1/observers/\(observer)/verdicts", body)
            }
            try await eventually("the first result") {
                (try world.shown("ber")["observed"] as? [String: String])?["own"] == "up"
            }
            #expect(try world.state("ber") == "unknown")
            try say("up", "ams")
            #expect(try world.state("ber") == "up")
            try say("down", "sea")
            #expect(try world.state("ber") == "up")
            try say("down", "ams")
            #expect(try world.state("ber") == "down")
            #expect(try world.address() == Self.newYork)
            let history = world.nearcast("node", "history", "ber").output
            #expect(history.contains("observers: ams down, own up, sea down"), "\(history)")
            #expect(throws: ControlFailure.self) { try say("down", "mallory") }
            #expect(try await daemon.stop() == 0)
        }
    }
}
