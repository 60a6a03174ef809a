import CFastPathABI
import ControlFailures
import Fixtures
import Foundation
import ManagementClient
import ManagementTypes
import Testing

extension DaemonProcess {
    /// One process in place of another, while packets come.
    @Suite(.serialized) struct Takeovers {
        private let keep = "{interfaces: [ncs0], mode: native, on_exit: keep}"

        @Test(
            "three successors take over under traffic on both paths, no query is lost, and states and counters continue"
        )
        func underTraffic() async throws {
            let world = try World("takeover")
            world.configuration += "\nwatch: false"
            var daemon = try await world.startReady()
            #expect(world.nearcast("node", "set", "ber", "down").status == 0)
            let names = ["www.example.com", "ns1.example.com"]
            let answers = try names.map { try #require(try world.ask($0)) }
            let clients = try zip(names, answers).map { try world.traffic([($0, [$1])]) }
            var answered = 0
            for number in 2...4 {
                let successor = try world.start("--takeover")
                try await successor.ready()
                #expect(try await daemon.ended() == 0, "\(daemon.log)")
                daemon = successor
                try await eventually("the predecessor's place") {
                    daemon.log.contains(#"message="took over" predecessor"#)
                }
                #expect(daemon.log.contains("words=shared"), "\(daemon.log)")
                #expect(world.pinned == ["\(NC_LAYOUT_VERSION)-\(number)", "link-ncs0"])
                try await eventually("the control socket") { world.nearcast("status").status == 0 }
                #expect(try world.address() == Service.newYork, "Berlin is down still")
                #expect(try world.address(stream: true) == Service.newYork)
                #expect(try world.answeredByProgram() > answered, "the counters go on")
                answered = try world.answeredByProgram()
            }
            for (client, path) in zip(clients, ["program", "user space"]) {
                let tally = client.stop()
                #expect(tally.lost == 0, "\(path)")
                #expect(tally.wrong.isEmpty, "\(path): \(tally.wrong)")
                #expect(tally.asked > 100, "\(path)")
            }
            #expect(world.nearcast("node", "set", "ber", "up").status == 0)
            #expect(try world.address() == Service.berlin)
            // Who followed the first process goes on with the fourth, and misses nothing.
            let client = ControlClient(path: world.url("run/c.sock").path)
            let changes = try client.transitions(after: 0).transitions
            #expect(changes.map(\.node) == ["ber", "ber"] && changes.map(\.to) == [.down, .up], "\(changes)")
            #expect(try client.transitions(after: changes[0].sequence).transitions == [changes[1]])
            #expect(try world.numbers(of: "ber") == changes.map(\.sequence))
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
        }

        @Test("a successor without a fast path removes the program once its predecessor has ended")
        func withoutFastPath() async throws {
            let world = try World("takeoff", fastPath: keep)
            let first = try await world.startReady()
            try world.replace(keep, "{mode: off}")
            let second = try world.start("--takeover")
            try await second.ready()
            #expect(try await first.ended() == 0)
            try await eventually("the end of the program") { world.pinned.isEmpty }
            #expect(try !world.isAttached)
            #expect(try world.address() == Service.berlin)
            #expect(try await second.stop() == 0)
            try world.expectNothingLeft()
        }

        @Test("without a predecessor `--takeover` is an ordinary start")
        func nobody() async throws {
            let world = try World("alone")
            let daemon = try world.start("--takeover")
            try await daemon.ready()
            #expect(try world.address() == Service.berlin)
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
        }

        @Test("only the process that asks takes over: naming another process, or the daemon, changes nothing")
        func strangers() async throws {
            let world = try World("strangers")
            let daemon = try await world.startReady()
            let path = world.url("run/c.sock").path
            let status = try ControlClient(path: path).status()
            for asked in [1, status.pid, getpid(), 0, -1] as [Int32] {
                let stranger = try IdleSuccessor(at: path, for: asked)
                #expect(stranger.answer.contains("403 Forbidden"), "\(asked): \(stranger.answer)")
                #expect(stranger.answer.contains("asks for itself"), "the remedy: \(stranger.answer)")
            }
            #expect(world.nearcast("node", "set", "ber", "down").status == 0)
            #expect(try world.address() == Service.newYork)
            #expect(world.nearcast("reload").status == 0)
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
        }

        @Test(
            "a successor that hangs loses the takeover at its deadline, before and after it replaces the control socket"
        )
        func silent() async throws {
            let world = try World("silent")
            let daemon = try world.start("--handover-limit", "2")
            try await daemon.ready()
            try await eventually("the control socket") { world.nearcast("status").status == 0 }
            let path = world.url("run/c.sock").path
            let successor = try IdleSuccessor(at: path)
            #expect(successor.answer.contains("200 OK"), "\(successor.answer)")
            #expect(world.nearcast("node", "set", "ber", "down").status == 1)
            try world.write("run/successor", "")
            #expect(rename(world.url("run/successor").path, path) == 0)
            try await eventually("the end of its time") { world.nearcast("node", "set", "ber", "down").status == 0 }
            #expect(try world.address() == Service.newYork)
            #expect(world.nearcast("reload").status == 0)
            #expect(daemon.log.contains("does not take over in time"), "\(daemon.log)")
            let metrics = try ControlClient(path: path).metrics()
            #expect(metrics.contains("nearcast_handovers_expired_total 1"))
            // A socket of the successor's, which comes too late, and goes with it.
            try world.write("run/successor", "")
            #expect(rename(world.url("run/successor").path, path) == 0)
            successor.end()
            try await eventually("the daemon's own socket") { world.nearcast("status").status == 0 }
            let next = try world.start("--takeover")
            try await next.ready()
            #expect(try await daemon.ended() == 0)
            #expect(try await next.stop() == 0)
            try world.expectNothingLeft()
        }

        @Test(
            "while it waits for a successor a daemon answers but changes nothing, and continues if the successor ends"
        )
        func abandoned() async throws {
            let world = try World("abandoned")
            let daemon = try await world.startReady()
            let client = ControlClient(path: world.url("run/c.sock").path)
            let successor = try IdleSuccessor(at: world.url("run/c.sock").path)
            #expect(successor.answer.contains("200 OK"), "\(successor.answer)")
            for command in [["node", "set", "ber", "down"], ["reload"], ["detach"]] {
                let outcome = world.nearcast(command)
                #expect(outcome.status == 1)
                #expect((outcome.errors + outcome.output).contains("another nearcastd is taking over"), "\(outcome)")
            }
            #expect(throws: ControlFailure.self) { try client.handOver(HandoverRequest(pid: getpid())) }
            #expect(try world.address() == Service.berlin)
            // It dies after it has drained all nodes, with its own socket in the place already.
            try world.drainWords()
            try world.write("run/successor", "")
            #expect(rename(world.url("run/successor").path, world.url("run/c.sock").path) == 0)
            successor.end()
            try await eventually("the change") { world.nearcast("node", "set", "ber", "down").status == 0 }
            #expect(try world.address() == Service.newYork, "what the successor said of New York is forgotten")
            #expect(world.nearcast("reload").status == 0)
            let files = try FileManager.default.contentsOfDirectory(atPath: world.url("run").path)
            #expect(files == ["c.sock"])
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
        }

        @Test("a successor that cannot start leaves its predecessor serving")
        func failing() async throws {
            let world = try World("failing")
            let first = try await world.startReady()
            let configuration = world.configuration
            // Refused after the predecessor has been held: the second interface cannot be had.
            try world.replace("interfaces: [ncs0]", "interfaces: [ncs0, lo]")
            let second = try world.start("--takeover")
            #expect(try await second.ended() == 78)
            #expect(second.log.contains("fast path on lo: no native mode"), "\(second.log)")
            world.configuration = configuration
            try world.saveConfiguration()
            try await eventually("the change") { world.nearcast("node", "set", "ber", "down").status == 0 }
            #expect(try world.address() == Service.newYork)
            #expect(world.pinned == ["\(NC_LAYOUT_VERSION)-1", "link-ncs0"])
            #expect(try await first.stop() == 0)
            try world.expectNothingLeft()
        }
    }
}
