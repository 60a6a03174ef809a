import ControlFailures
import Foundation
import ManagementClient
import ManagementTypes
import Synchronization
import Testing

@Suite struct RecordRequestTests {
    @Test("records are asked for, changed, forgotten and exported by zone, whatever its name holds")
    func routes() async throws {
        let daemon = FakeDaemon()
        try await withServer(daemon) { client throws in
            let list = try client.rrsets(RRsetsRequest(zone: "a b.com", name: "x/y.com", changed: true, limit: 5))
            #expect(list.rrsets.first?.changedAt == FakeDaemon.start)
            let wish = RRsetEdit(name: "www.example.com", type: "A", ttl: 60, records: ["192.0.2.1"])
            #expect(
                try client.change(RRsetsChange(changes: [wish], author: "ann"), of: "example.com") == FakeDaemon.receipt
            )
            _ = try client.forgetChanges(of: "example.com")
            _ = try client.forgetChanges(of: "example.com", names: ["www.example.com", "a b"], type: "A")
            #expect(try client.export("example.com") == Array("example.com 300 IN A 192.0.2.1\n".utf8))
            #expect(try client.zone(of: "www.example.com").origin == "example.com.")
            #expect(throws: ControlFailure.self) { try client.change(RRsetsChange(changes: [wish]), of: "signed") }
            #expect(throws: ControlFailure.self) { try client.send("PUT", "/v1/zones/example.com/rrsets") }
            #expect(throws: ControlFailure.self) { try client.send("GET", "/v1/zones/example.com/nothing") }
        }
        #expect(
            daemon.asked.withLock { $0 } == [
                "rrsets a b.com x/y.com true 5", "change example.com [\"www.example.com\"] ann",
                "forget example.com [] -",
                "forget example.com [\"www.example.com\", \"a b\"] A", "zone of www.example.com",
                "change signed [\"www.example.com\"] -",
            ])
    }

    @Test(
        "a request that was mistyped is refused: it could delete or forget what was not meant",
        arguments: [
            ("DELETE", "changes?nmae=a.example.com", "there is no parameter \"nmae\""),
            ("GET", "rrsets?limit=5&changed=yes", "changed is yes"),
            ("GET", "rrsets?nme=a.example.com", "there is no parameter \"nme\""),
            ("PATCH", "rrsets?dry=1", "there is no parameter \"dry\""),
            ("POST", "rrsets", "POST is not possible"),
        ])
    func mistyped(method: String, path: String, message: String) async throws {
        let daemon = FakeDaemon()
        try await withServer(daemon) { client throws in
            do throws(ControlFailure) {
                _ = try client.send(method, "/v1/zones/example.com/\(path)", Array(#"{"changes": []}"#.utf8))
                Issue.record("it was done")
            } catch { #expect(error.message.hasPrefix(message), "\(error)") }
        }
        #expect(daemon.asked.withLock { $0 } == [])
    }

    @Test(
        "changes with fields that are not known, or of another kind, are refused by place",
        arguments: [
            (
                #"{"changes": [{"name": "a", "type": "A", "ttl": 1, "record": ["b"]}]}"#,
                "changes[0]: there is no field \"record\""
            ),
            (#"{"changes": [{"name": "a", "type": "A", "ttl": 1}]}"#, "changes[0].ttl: a TTL without records"),
            (#"{"changes": [{"name": "a", "type": "A"}, {"name": "a"}]}"#, "changes[1].type is missing"),
            (
                #"{"changes": [{"name": "a", "type": "A", "ttl": 1.5, "records": []}]}"#,
                "changes[0].ttl: the number is not an integer"
            ),
            (
                #"{"changes": [{"name": "a", "type": "A", "ttl": -1, "records": []}]}"#,
                "changes[0].ttl: the number is not an integer"
            ),
            (
                #"{"changes": [{"name": "a", "type": "A", "ttl": "1", "records": []}]}"#,
                "changes[0].ttl has a value of another type"
            ),
            (#"{"changes": [], "dryRun": true}"#, "the body: there is no field \"dryRun\""),
            (#"{"changes": ["#, "the body is not JSON"),
        ])
    func unknown(body: String, message: String) async throws {
        let daemon = FakeDaemon()
        try await withServer(daemon) { client throws in
            do throws(ControlFailure) {
                _ = try client.send("PATCH", "/v1/zones/example.com/rrsets", Array(body.utf8))
                Issue.record("it was done")
            } catch { #expect(error.code == .invalid && error.message.hasPrefix(message), "\(error)") }
        }
        #expect(daemon.asked.withLock { $0 } == [])
    }
}
