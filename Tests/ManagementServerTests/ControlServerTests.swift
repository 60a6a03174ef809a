import Access
import ControlFailures
import Foundation
import Glibc
import ManagementClient
import ManagementTypes
import Synchronization
import Testing

@Suite struct ControlServerTests {
    @Test("every report arrives as it was sent")
    func reports() async throws {
        try await withServer { client throws in
            #expect(try client.status() == FakeDaemon.status)
            #expect(try client.nodes() == [FakeDaemon.node("fra1"), FakeDaemon.node("ny c/1?")])
            #expect(try client.inspectLocation("203.0.113.9/32").leaf == "203.0.113.0/24")
            #expect(try client.inspectNodes().generation == 1)
            #expect(try client.inspectCounters().slowPath == ["answered": 2])
            #expect(try client.detach().interfaces == ["eth0"])
            #expect(try client.reload().zones.changed == ["a."])
            #expect(try client.roundTrips() == FakeDaemon.roundTrips)
            #expect(try client.metrics().hasSuffix("nearcast_epoch 7\n"))
        }
    }

    @Test("an explanation is asked with all its parameters", arguments: [nil, "192.0.2.1"])
    func explain(sender: String?) async throws {
        let daemon = FakeDaemon()
        let report = try await withServer(daemon) { client throws in
            try client.explain(
                ExplainRequest(name: "www.example.com", type: "AAAA", from: "2001:db8::/56", sender: sender))
        }
        #expect(report.answers == ["198.51.100.10"])
        #expect(report.path == .fast)
        #expect(daemon.asked.withLock { $0 } == ["www.example.com AAAA 2001:db8::/56 \(sender ?? "-")"])
    }

    @Test("a caller is the account and the process that the kernel names, whatever the request says")
    func caller() async throws {
        let daemon = FakeDaemon()
        try await withServer(daemon) { client throws in
            _ = try client.setNode("fra1", to: NodeStateChange(state: .drained, author: "uid 0 (root)"))
            _ = try client.setNodes(NodesStateChange(all: true, change: NodeStateChange(state: .drained)))
            _ = try client.change(RRsetsChange(changes: []), of: "example.com")
            _ = try client.forgetChanges(of: "example.com")
            _ = try client.state(NodeStatement(load: 1), of: "fra1")
            _ = try client.handOver(HandoverRequest(pid: 1))
            _ = try client.reload()
            _ = try client.detach()
        }
        let callers = daemon.callers.withLock { $0 }
        #expect(callers.count == 8)
        for caller in callers {
            guard case .account(let account) = caller else {
                Issue.record("\(caller)")
                continue
            }
            #expect(account.user == geteuid() && account.process == getpid())
            #expect(account.name == getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) })
        }
    }

    @Test("a change of a node arrives whole, whatever its id holds")
    func setNode() async throws {
        let daemon = FakeDaemon()
        let report = try await withServer(daemon) { client throws in
            try client.setNode("ny c/1?", to: NodeStateChange(state: .drained, reason: "new disk", author: "Ada"))
        }
        #expect(report.id == "ny c/1?")
        #expect(daemon.asked.withLock { $0 } == ["ny c/1? drained new disk Ada"])
        // A node may have the name of a route's part.
        let other = FakeDaemon()
        try await withServer(other) { client throws in
            _ = try client.setNode("state", to: NodeStateChange(state: .up))
            _ = try client.state(NodeStatement(load: 1), of: "state")
        }
        #expect(other.asked.withLock { $0 } == ["state up - -", "state - 1.0"])
    }

    @Test("a change of many nodes arrives whole")
    func setNodes() async throws {
        let daemon = FakeDaemon()
        try await withServer(daemon) { client throws in
            let drain = NodeStateChange(state: .drained)
            #expect(try client.setNodes(NodesStateChange(nodes: ["b", "ny c/1?"], change: drain)) == FakeDaemon.many)
            _ = try client.setNodes(NodesStateChange(pool: "web", change: drain))
            _ = try client.setNodes(NodesStateChange(all: true, change: drain))
        }
        let asked = ["[\"b\", \"ny c/1?\"] - false drained", "[] web false drained", "[] - true drained"]
        #expect(daemon.asked.withLock { $0 } == asked)
    }

    @Test("histories and changes are asked for by node, number and patience")
    func transitions() async throws {
        let daemon = FakeDaemon()
        try await withServer(daemon) { client throws in
            #expect(try client.history(of: "ny c/1?", limit: 7) == [FakeDaemon.transition])
            #expect(try client.transitions(after: nil) == TransitionsReport(latest: 9, transitions: []))
            #expect(try client.transitions(after: 8, waitSeconds: 30).transitions == [FakeDaemon.transition])
            #expect(throws: ControlFailure(.invalid, "wait is 99", remedy: "give a number from 0 to 60")) {
                try client.transitions(after: 8, waitSeconds: 99)
            }
        }
        #expect(daemon.asked.withLock { $0 } == ["history ny c/1? 7", "transitions - 0", "transitions 8 30"])
    }

    @Test("a large report arrives whole")
    func largeReport() async throws {
        let report = try await withServer {
            try $0.inspectNames(InspectNamesRequest(under: "example.com", limit: 10_000))
        }
        #expect(report.names.count == 10_000)
        #expect(report.names.last?.name == "example.com")
    }

    @Test("the handler's failures keep their code, message and remedy")
    func failures() async throws {
        try await withServer { client throws in
            #expect(throws: ControlFailure(.notFound, "no node gone")) {
                try client.setNode("gone", to: NodeStateChange(state: .up))
            }
            #expect(throws: ControlFailure(.conflict, "last is the last usable node of web", remedy: "use --force")) {
                try client.setNode("last", to: NodeStateChange(state: .drained))
            }
            #expect(throws: ControlFailure(.notFound, "a.test is not served", remedy: "add it to tailored")) {
                try client.explain(ExplainRequest(name: "a.test", type: "A", from: "192.0.2.1"))
            }
        }
    }

    @Test(
        "a request that makes no sense is refused with its reason",
        arguments: [
            ("GET", "/v2/status", "", ControlFailure.Code.notFound),
            ("GET", "/", "", .notFound),
            ("GET", "/v1/nodes/fra1/colour", "", .notFound),
            ("GET", "/v1/inspect/soul", "", .notFound),
            ("GET", "/v1/status?verbose=1", "", .invalid),
            ("GET", "/v1/transitions?after=x", "", .invalid),
            ("POST", "/v1/status", "", .methodNotAllowed),
            ("GET", "/v1/detach", "", .methodNotAllowed),
            ("GET", "/v1/reload", "", .methodNotAllowed),
            ("POST", "/v1/rtt", "", .methodNotAllowed),
            ("GET", "/v1/explain?name=a.test", "", .invalid),
            ("GET", "/v1/inspect/names?limit=0", "", .invalid),
            ("GET", "/v1/inspect/names?limit=10001", "", .invalid),
            ("GET", "/v1/inspect/location", "", .invalid),
            ("PUT", "/v1/nodes/fra1/state", "", .invalid),
            ("PUT", "/v1/nodes/fra1/state", "{\"state\": ", .invalid),
            ("PUT", "/v1/nodes/fra1/state", "{}", .invalid),
            ("PUT", "/v1/nodes/fra1/state", "{\"state\": \"sideways\"}", .invalid),
            ("PUT", "/v1/nodes/fra1/state", "[]", .invalid),
        ])
    func refused(method: String, target: String, body: String, code: ControlFailure.Code) async throws {
        let failure = try await withServer { client throws in
            #expect(throws: ControlFailure.self) { try client.send(method, target, Array(body.utf8)) }
        }
        #expect(failure?.code == code)
        #expect(failure?.message.isEmpty == false)
    }

    @Test(
        "a body that makes no sense is refused in the user's words",
        arguments: [
            (
                "{\"state\": \"sideways\"}",
                "state: \"sideways\" is none of up, down, drained, maintenance, auto"
            ),
            ("{\"state\": 7}", "state has a value of another type than expected"),
            ("{\"state\": null}", "state has a value of another type than expected"),
            ("[]", "the body has a value of another type than expected"),
            ("{}", "state is missing"),
        ])
    func refusedBody(body: String, message: String) async throws {
        let failure = try await withServer { client throws in
            #expect(throws: ControlFailure.self) { try client.send("PUT", "/v1/nodes/fra1/state", Array(body.utf8)) }
        }
        #expect(failure?.message == message)
    }

    @Test("a body of more than a mebibyte is refused")
    func largeBody() async throws {
        let daemon = FakeDaemon()
        let failure = try await withServer(daemon) { client throws in
            #expect(throws: ControlFailure.self) {
                try client.send("PUT", "/v1/nodes/fra1/state", [UInt8](repeating: 0x20, count: 1 << 20 | 1))
            }
        }
        #expect(failure?.code == .tooLarge)
        #expect(daemon.asked.withLock { $0.isEmpty })
    }

    @Test("requests are served concurrently")
    func concurrency() async throws {
        let answered = try await withServer { client in
            let threads = DispatchGroup()
            let answered = Mutex(0)
            for _ in 0..<32 {
                threads.enter()
                // Threads, because the server's tasks run on the pool that dispatch queues would block.
                Thread.detachNewThread {
                    for _ in 0..<10 where (try? client.status()) == FakeDaemon.status { answered.withLock { $0 += 1 } }
                    threads.leave()
                }
            }
            threads.wait()
            return answered.withLock { $0 }
        }
        #expect(answered == 320)
    }
}
