import Fixtures
import Foundation
import Glibc
import Testing

extension World {
    /// Sends requests to the control socket as a user without rights, and prints the status of each response.
    private static let stranger = """
        import http.client, json, os, socket, sys
        os.chdir(sys.argv[1])
        os.setgroups([]); os.setgid(65534); os.setuid(65534)
        connection = http.client.HTTPConnection("localhost", timeout=30)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect("run/c.sock")
        for line in sys.argv[2:]:
            method, target, body = line.split(" ", 2)
            connection.request(method, target, body)
            response = connection.getresponse()
            response.read()
            print(response.status)
        """

    /// Opens the control socket to all users, and sends requests to it as user 65534.
    func asStranger(_ requests: String...) throws -> [String] {
        for (file, mode) in [("", 0o755), ("run", 0o755), ("run/c.sock", 0o666)] {
            try #require(chmod(file.isEmpty ? folder.path : url(file).path, mode_t(mode)) == 0)
        }
        return try run(["python3", "-c", Self.stranger, folder.path] + requests).split(separator: "\n").map(String.init)
    }
}

extension DaemonProcess {
    /// Who is recorded with a change.
    @Suite(.serialized) struct Callers {
        @Test("a change has the account that the kernel reports, even if its author claims another")
        func recorded() async throws {
            let world = try World("callers", fastPath: "{mode: off}")
            let daemon = try await world.startReady()
            let claim = #""author": "uid 0 (root)", "reason": "disks""#
            let record = #"{"name": "a.example.com", "type": "A", "ttl": 60, "records": ["192.0.2.1"]}"#
            // Without these two no node of the pool has an IPv6 address: that needs force.
            let statuses = try world.asStranger(
                #"PUT /v1/nodes/ber/state {"state": "drained", \#(claim)}"#,
                #"PUT /v1/nodes/state {"nodes": ["nyc"], "change": {"state": "drained", "force": true, \#(claim)}}"#,
                #"POST /v1/nodes/sin/report {"state": "degraded", "authority": "automation", \#(claim)}"#,
                #"PATCH /v1/zones/example.com/rrsets {"changes": [\#(record)], "author": "uid 0 (root)"}"#,
                #"PUT /v1/nodes/ber/state {"state": "up", "author": "\u001b[2J"}"#,
                #"PUT /v1/nodes/ber/state {"state": "up", "reason": "\#(String(repeating: "x", count: 257))"}"#)
            #expect(statuses == ["200", "200", "200", "200", "400", "400"])
            for node in ["ber", "nyc", "sin"] {
                let shown = try world.shown(node)
                #expect(shown["setBy"] as? String == "uid 65534 (nobody): uid 0 (root), disks", "\(node): \(shown)")
            }
            let list = try world.object(world.nearcast("record", "list", "example.com", "--changed", "--json"))
            let changed = try #require(list["rrsets"] as? [[String: Any]])
            #expect(changed.map { $0["changedBy"] as? String } == ["uid 65534 (nobody): uid 0 (root)"])
            #expect(world.nearcast("node", "drain", "ber").status == 0)
            #expect(try (world.shown("ber")["setBy"] as? String)?.hasPrefix("uid 0 (root)") == true)
            #expect(daemon.log.contains("uid 65534 (nobody): uid 0 (root), disks"))
            // `by` is the kernel's word alone; what the request says of itself has fields of its own.
            let request = try #require(daemon.log.split(separator: "\n").first { $0.contains("node state requested") })
            for field in [#"by="uid 65534 (nobody)""#, #"author="uid 0 (root)""#, "reason=disks", "state=drained"] {
                #expect("\(request) ".contains(field), "\(request)")
            }
            #expect(try await daemon.stop() == 0)
        }

        @Test("reload, detach and handover are logged with the account that asks for them")
        func administration() async throws {
            let world = try World("administrators", fastPath: "{mode: off}")
            let daemon = try await world.startReady()
            let statuses = try world.asStranger(
                "POST /v1/reload ", "POST /v1/detach ", #"POST /v1/handover {"pid": 1}"#)
            // A process can only hand over to itself. The refused request is logged as well.
            #expect(statuses == ["200", "200", "403"])
            for phrase in ["reload requested", "detach requested", "handover requested"] {
                let line = daemon.log.split(separator: "\n").first { $0.contains(phrase) }
                #expect(line?.contains(#"by="uid 65534 (nobody)""#) == true, "\(phrase): \(line ?? "no line")")
            }
            #expect(try await daemon.stop() == 0)
        }
    }
}
