import CFastPathABI
import Fixtures
import Foundation
import Testing

extension DaemonProcess {
    /// What becomes of the program when the daemon goes and comes.
    @Suite(.serialized) struct FastPath {
        private let layout = Int(NC_LAYOUT_VERSION)
        private let keep = "{interfaces: [ncs0], mode: native, on_exit: keep}"

        @Test("the program answers and follows a change of a node, and detaching at the exit leaves nothing")
        func detachAtExit() async throws {
            let world = try World("detach")
            let daemon = try await world.startReady()
            #expect(try world.isAttached)
            #expect(world.pinned == ["\(layout)-1", "link-ncs0"])
            #expect(try world.address() == Service.berlin)
            #expect(try world.address(subnet: "18.2.3.0/24") == Service.singapore)
            #expect(try world.answeredByProgram() == 2)
            #expect(world.nearcast("node", "set", "ber", "down").status == 0)
            #expect(try world.address() == Service.newYork)
            #expect(try world.answeredByProgram() == 3)
            #expect(try world.address(stream: true) == Service.newYork, "TCP is user space's")
            #expect(try world.answeredByProgram() == 3)
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
            #expect(try world.address() == nil)
        }

        @Test("a program kept at the exit goes on answering, and the next start adopts it")
        func keepAtExit() async throws {
            let world = try World("keep", fastPath: keep)
            var daemon = try await world.startReady()
            #expect(world.nearcast("node", "set", "ber", "drained").status == 0)
            #expect(try await daemon.stop() == 0)
            #expect(!world.exists("run/c.sock"))
            #expect(world.pinned == ["\(layout)-1", "link-ncs0"])
            #expect(try world.address() == Service.newYork, "without a daemon")

            daemon = try await world.startReady()
            #expect(daemon.log.contains("took over the link of an earlier run"), "\(daemon.log)")
            #expect(world.pinned == ["\(layout)-2", "link-ncs0"])
            #expect(try world.address() == Service.newYork)
            #expect(try world.answeredByProgram() == 2, "the counters go on")
            #expect(try await daemon.stop() == 0)

            let detached = world.detachAlone()
            #expect(detached.status == 0, "\(detached.errors)")
            try world.expectNothingLeft()
        }

        @Test("after a kill the program goes on answering, and the next start adopts it")
        func crash() async throws {
            let world = try World("crash")
            try await world.startReady().crash()
            #expect(world.exists("run/c.sock"), "nobody could remove it")
            #expect(try world.address() == Service.berlin, "without a daemon")
            let daemon = try await world.startReady()
            #expect(daemon.log.contains("took over the link of an earlier run"), "\(daemon.log)")
            #expect(try world.address() == Service.berlin)
            #expect(try world.answeredByProgram() == 2, "the counters go on")
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
        }

        @Test(
            "a failed start leaves the program of an earlier run answering",
            arguments: [
                ("database: city.mmdb", "database: nowhere.mmdb"),
                ("pool: web", "pool: nope"), ("control: run/c.sock", "control: /proc/c.sock"),
                // The second interface fails after the first has been taken over.
                ("interfaces: [ncs0]", "interfaces: [ncs0, lo]"),
            ])
        func refusedStart(old: String, new: String) async throws {
            let world = try World("refused", fastPath: keep)
            #expect(try await world.startReady().stop() == 0)
            let sound = world.configuration
            try world.replace(old, new)
            #expect(try await world.start().ended() == 78)
            #expect(world.pinned == ["\(layout)-1", "link-ncs0"])
            #expect(try world.address() == Service.berlin)
            world.configuration = sound
            #expect(try await world.startReady().stop() == 0)
        }

        @Test("a removed interface is reported, and gets the program again when it returns")
        func interfaceReturns() async throws {
            let world = try World("gone", fastPath: "{interfaces: [dm0], mode: auto}")
            _ = try world.lab.serverIP("link", "add", "dm0", "type", "veth", "peer", "name", "dm1")
            let daemon = try await world.startReady()
            #expect(try world.lab.serverIP("link", "show", "dm0").contains("xdp"))
            _ = try world.lab.serverIP("link", "del", "dm0")
            try await eventually("the report") { world.nearcast("status").output.contains("the interface went away") }
            _ = try world.lab.serverIP("link", "add", "dm0", "type", "veth", "peer", "name", "dm1")
            try await eventually("the program") { try world.lab.serverIP("link", "show", "dm0").contains("xdp") }
            #expect(!world.nearcast("status").output.contains("went away"))
            #expect(try await daemon.stop() == 0)
            _ = try world.lab.serverIP("link", "del", "dm0")
            try world.expectNothingLeft()
        }

        @Test("a daemon that is stopped while it starts leaves nothing", arguments: [0, 100, 200, 300, 400, 500])
        func endedEarly(milliseconds: Int) async throws {
            let world = try World("early")
            let daemon = try world.start()
            try await eventually("the first line") { daemon.log.contains("loading") }
            // Where in the start the end comes is chance; every place is right.
            try await Task.sleep(for: .milliseconds(milliseconds))
            #expect(try await daemon.stop() == 0, "\(daemon.log)")
            try world.expectNothingLeft()
        }

        @Test("`nearcast detach` removes the program, and the daemon goes on answering from user space")
        func detachCommand() async throws {
            let world = try World("command")
            let daemon = try await world.startReady()
            let outcome = world.nearcast("detach")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(world.pinned.isEmpty)
            #expect(try !world.isAttached)
            #expect(try world.address() == Service.berlin)
            #expect(world.nearcast("node", "set", "ber", "down").status == 0)
            #expect(try world.address() == Service.newYork)
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
        }

        @Test("auto mode falls back to generic mode, and says so")
        func automaticMode() async throws {
            let world = try World("auto", fastPath: "{interfaces: [lo], mode: auto}")
            let daemon = try await world.startReady()
            #expect(daemon.log.contains("fast path attached generically"), "\(daemon.log)")
            #expect(daemon.log.contains("no native mode: "), "\(daemon.log)")
            #expect(world.pinned == ["\(layout)-1", "link-lo"])
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
        }

        @Test("an interface left out of the configuration loses its program at the next start")
        func strayInterface() async throws {
            let world = try World("stray", fastPath: "{interfaces: [ncs0, lo], mode: auto, on_exit: keep}")
            #expect(try await world.startReady().stop() == 0)
            #expect(world.pinned == ["\(layout)-1", "link-lo", "link-ncs0"])
            try world.replace("[ncs0, lo]", "[ncs0]")
            let daemon = try await world.startReady()
            #expect(world.pinned == ["\(layout)-2", "link-ncs0"])
            #expect(try !world.lab.serverIP("link", "show", "lo").contains("xdp"))
            #expect(try await daemon.stop() == 0)
        }
    }
}
