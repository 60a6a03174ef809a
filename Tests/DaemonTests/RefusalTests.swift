import Fixtures
import Foundation
import Glibc
import IPNetworks
import Testing

extension DaemonProcess {
    /// What cannot be served is refused with its reason, and leaves nothing behind.
    @Suite(.serialized) struct Refusals {
        private func expectRefusal(_ input: BadInput) async throws {
            let world = try World("refusal")
            let message = try input.spoil(world)
            let daemon = try world.start()
            let status = try await daemon.ended()
            #expect(status == input.status, "\(daemon.log)")
            #expect(daemon.log.contains("level=critical message=\"cannot run\""), "\(daemon.log)")
            #expect(daemon.log.contains(message), "\(daemon.log)\nexpected: \(message)")
            try world.expectNothingLeft()
        }

        @Test("a configuration that cannot be served", arguments: BadInput.configuration)
        func configuration(input: BadInput) async throws { try await expectRefusal(input) }

        @Test("a zone that cannot be served", arguments: BadInput.zones)
        func zones(input: BadInput) async throws { try await expectRefusal(input) }

        @Test("a database that cannot be used", arguments: BadInput.database)
        func database(input: BadInput) async throws { try await expectRefusal(input) }

        @Test("a certificate that cannot be used", arguments: BadInput.certificates)
        func certificates(input: BadInput) async throws { try await expectRefusal(input) }

        @Test("a host that does not fit the configuration", arguments: BadInput.host)
        func host(input: BadInput) async throws { try await expectRefusal(input) }

        @Test("a missing configuration file")
        func noConfiguration() async throws {
            let world = try World("missing")
            let daemon = try world.start(configuration: "nowhere.yaml")
            #expect(try await daemon.ended() == 78)
            let path = world.url("nowhere.yaml").path
            let problem =
                "\(path): the file cannot be read (No such file or directory): "
                + "check the path and its permissions"
            #expect(
                daemon.log.hasSuffix(" level=critical message=\"cannot run\" error=\"\(problem)\"\n"), "\(daemon.log)")
            #expect(daemon.log.count { $0 == "\n" } == 1)
            try world.expectNothingLeft()
        }

        @Test("a configuration that is a pipe is refused without waiting for a writer")
        func pipedConfiguration() async throws {
            let world = try World("pipe")
            let path = world.url("pipe.yaml").path
            try #require(mkfifo(path, 0o600) == 0)
            let daemon = try world.start(configuration: "pipe.yaml")
            #expect(try await daemon.ended() == 78)
            #expect(
                daemon.log.contains(
                    "\(path): the file cannot be read (it is a pipe, which is not a regular file): name a regular file")
            )
            #expect(world.nearcast("check", path, socket: false).errors.contains("which is not a regular file"))
            try world.expectNothingLeft()
        }

        @Test("a daemon that is stopped while it loads ends at once, and leaves nothing", arguments: [SIGTERM, SIGINT])
        func stoppedWhileLoading(signal: Int32) async throws {
            let world = try World("early", fastPath: "{mode: off}")
            // Takes far longer to read than a signal takes.
            var zone = World.zone + "\n"
            for number in 0..<2_000_000 { zone += "n\(number) A 192.0.2.1\n" }
            try world.write("example.com.zone", zone)
            let daemon = try world.start()
            try await eventually("the start") { daemon.log.contains("loading") }
            daemon.kill(signal)
            #expect(try await daemon.ended() == 0)
            #expect(daemon.log.contains("nearcastd: stopped while loading\n") && !daemon.log.contains("ready"))
            try world.expectNothingLeft()
        }

        @Test(
            "`nearcast check` reports the same problem",
            arguments: BadInput.configuration + BadInput.zones + BadInput.database + BadInput.certificates)
        func check(input: BadInput) async throws {
            let world = try World("check")
            let message = try input.spoil(world)
            try world.write("c.yaml", world.configuration)
            let outcome = world.nearcast("check", world.url("c.yaml").path, socket: false)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains(message), "\(outcome.errors)\nexpected: \(message)")
            let json = world.nearcast("check", "--json", world.url("c.yaml").path, socket: false)
            #expect(json.status == 1)
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(json.output.utf8)) }
        }

        @Test("a port that another process holds", arguments: ["UDP", "TCP"])
        func portTaken(transport: String) async throws {
            let world = try World("port")
            let holder = try ListeningSocket(in: world.lab.server, at: World.server4, stream: transport == "TCP")
            // It is found before the database is read.
            try world.replace("database: city.mmdb", "database: nowhere.mmdb")
            let daemon = try world.start()
            #expect(try await daemon.ended() == 69)
            let hint = transport == "UDP" ? "ss -lunp" : "ss -ltnp"
            #expect(
                daemon.log.contains(
                    "listen 192.0.2.53:53: \(transport) port taken by another process (\(hint) shows which)"),
                "\(daemon.log)")
            try world.expectNothingLeft()
            holder.close()
        }

        @Test("a second daemon on the same control socket is refused, and the first one continues")
        func secondInstance() async throws {
            let world = try World("second")
            let first = try await world.startReady()
            let pins = world.pinned
            let second = try world.start()
            #expect(try await second.ended() == 69)
            #expect(
                second.log.contains(
                    "another nearcastd is running: it answers at \(world.url("run/c.sock").path)"), "\(second.log)")
            // On a socket and ports of its own it meets the first one's pins.
            try world.replace("control: run/c.sock", "control: run/d.sock")
            try world.replace("192.0.2.53:53", "192.0.2.53:5353")
            let third = try world.start()
            #expect(try await third.ended() == 69)
            #expect(
                third.log.contains("another nearcastd has the fast path pinned at /sys/fs/bpf/nearcast"),
                "\(third.log)")
            #expect(!world.exists("run/d.sock"))
            #expect(world.pinned == pins, "what the first one pinned stays")
            #expect(try world.isAttached)
            #expect(world.nearcast("status").status == 0)
            #expect(try await first.stop() == 0)
            try world.expectNothingLeft()
        }
    }
}
