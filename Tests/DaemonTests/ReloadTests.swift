import Fixtures
import Foundation
import Glibc
import IPNetworks
import Testing

/// What makes a daemon reload.
enum Trigger: CaseIterable {
    case command, signal, watch
}

extension World {
    /// The zone with another serial and further records.
    func writeZone(serial: Int, _ records: String = "") throws {
        try replaceFile(
            "example.com.zone",
            """
            $TTL 300
            @ IN SOA ns1 hostmaster \(serial) 3600 900 604800 300
            @ IN NS ns1
            ns1 IN A 192.0.2.53
            \(records)

            """)
    }

    /// The code of the answer to a query: 0 NOERROR, 3 NXDOMAIN.
    func code(_ name: String) throws -> UInt8? { try ask(name).map { $0[3] & 15 } }

    /// The serial of a zone and its problem, from `status`.
    func zone(_ origin: String = "example.com.") throws -> (serial: Int?, problem: String?) {
        let zones = try object(nearcast("status", "--json"))["zones"] as? [String: Any]
        let zone = (zones?["zones"] as? [[String: Any]])?.first { $0["origin"] as? String == origin }
        return (zone?["serial"] as? Int, zone?["problem"] as? String)
    }

    func epoch() throws -> Int? { try object(nearcast("status", "--json"))["epoch"] as? Int }

    /// Triggers a reload, and waits for `condition` if the trigger does not report the end.
    func reload(_ trigger: Trigger, _ daemon: Daemon, until condition: () throws -> Bool) async throws {
        switch trigger {
        case .command:
            let outcome = nearcast("reload")
            #expect(outcome.status == 0, "\(outcome.errors)")
        case .signal: daemon.kill(SIGHUP)
        case .watch: break
        }
        try await eventually("what was reloaded", condition)
    }
}

extension DaemonProcess {
    /// Changed files are taken over while the daemon serves.
    @Suite(.serialized) struct Reloading {
        private static let off = "{mode: off}"

        @Test("every trigger of a reload serves the changed zone", arguments: Trigger.allCases)
        func zone(trigger: Trigger) async throws {
            let world = try World("zone", fastPath: Self.off)
            world.configuration += "\nwatch: \(trigger == .watch)"
            let daemon = try await world.startReady()
            if trigger == .watch { try await eventually("the watching of files") { daemon.watchesFiles } }
            #expect(try world.code("new.example.com") == 3)
            try world.writeZone(serial: 2, "new IN A 192.0.2.77")
            if trigger != .watch {
                #expect(!daemon.watchesFiles)
                #expect(try world.zone().serial == 1)
            }
            try await world.reload(trigger, daemon) { try world.code("new.example.com") == 0 }
            #expect(try world.zone().serial == 2)
            #expect(try world.epoch() == 2)
            // Written in place, and back to what it was.
            try world.write("example.com.zone", World.zone)
            try await world.reload(trigger, daemon) { try world.code("new.example.com") == 3 }
            #expect(try world.epoch() == 3)
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
        }

        @Test("a broken zone is served in its last good version, with a warning, until it is repaired")
        func brokenZone() async throws {
            let world = try World("broken", fastPath: Self.off)
            try world.replace("zones:", "zones:\n  - {origin: other.test, file: other.zone}")
            try world.write("other.zone", World.zone)
            world.configuration += "\nwatch: false"
            let daemon = try await world.startReady()
            try world.writeZone(serial: 2, "mail IN A 192.0.2.999")
            try world.replaceFile("other.zone", World.zone + "\nmore IN A 192.0.2.1\n")
            let place = "\(world.url("example.com.zone").path):5:11: "
            for _ in 0..<2 {
                let outcome = world.nearcast("reload")
                #expect(outcome.status == 1)
                #expect(outcome.output.contains(place), "\(outcome.output)")
                #expect(try world.zone().serial == 1)
                #expect(try world.zone().problem?.hasPrefix(place) == true)
                #expect(try world.code("ns1.example.com") == 0)
                #expect(try world.code("more.other.test") == 0, "the other zone was taken over")
            }
            #expect(daemon.log.contains(place), "\(daemon.log)")
            #expect(try world.metric("nearcast_zones_failed") == 1)
            #expect(try world.metric("nearcast_last_reload_success") == 0)
            // The file goes, which is another problem.
            unlink(world.url("example.com.zone").path)
            #expect(world.nearcast("reload").output.contains("No such file or directory"))
            #expect(try world.code("ns1.example.com") == 0)
            try world.writeZone(serial: 3, "mail IN A 192.0.2.99")
            #expect(world.nearcast("reload").status == 0)
            let zone = try world.zone()
            #expect(zone.serial == 3 && zone.problem == nil)
            #expect(try world.code("mail.example.com") == 0)
            #expect(try world.metric("nearcast_zone_serial{zone=\"example.com.\"}") == 3)
            #expect(try world.metric("nearcast_last_reload_success") == 1)
            #expect(try await daemon.stop() == 0)
            // At a start there is no version before.
            try world.writeZone(serial: 4, "mail IN A 192.0.2.999")
            #expect(try await world.start().ended() == 78)
        }

        @Test(
            "a configuration that cannot be applied changes nothing, and the setting is named",
            arguments: [
                ("pool: web", "pool: nope", "names pool \"nope\""),
                ("192.0.2.53:53", "192.0.2.53:5353", "listen is 192.0.2.53:5353 "),
                ("control: run/c.sock", "control: run/d.sock", "control is "),
                ("state: state", "state: other", "state is "),
                ("mode: off", "mode: auto, interfaces: [ncs0]", "fast_path.mode is auto and was off"),
                ("zones:", "zones:\n  - {origin: none.test, file: none.zone}", "cannot read "),
                ("name: www.example.com", "name: ns1.example.com", "is tailored and has A"),
                ("listen:", "listen: []\nlisten:", "\"listen\""),
            ])
        func refusedConfiguration(old: String, new: String, message: String) async throws {
            let world = try World("config", fastPath: Self.off)
            world.configuration += "\nwatch: false"
            let daemon = try await world.startReady()
            let before = try world.object(world.nearcast("status", "--json"))
            let sound = world.configuration
            try world.replace(old, new)
            try world.saveConfiguration()
            try world.writeZone(serial: 2, "new IN A 192.0.2.77")
            let outcome = world.nearcast("reload")
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
            let after = try world.object(world.nearcast("status", "--json"))
            #expect(after["digest"] as? String == before["digest"] as? String)
            #expect(try world.zone().serial == 1)
            #expect(try world.code("new.example.com") == 3, "not even what is sound in itself")
            #expect(try world.metric("nearcast_reloads_total{result=\"refused\"}") == 1)
            world.configuration = sound
            try world.saveConfiguration()
            #expect(world.nearcast("reload").status == 0)
            #expect(try world.code("new.example.com") == 0)
            #expect(try await daemon.stop() == 0)
        }

        @Test("when a file that a refused configuration lacks appears, the configuration is loaded")
        func missingFileComes() async throws {
            let world = try World("comes", fastPath: Self.off)
            let daemon = try await world.startReady()
            try world.replace("zones:", "zones:\n  - {origin: none.test, file: none.zone}")
            try world.saveConfiguration()
            try await eventually("the refusal") { daemon.log.contains("reload refused") }
            try world.write("none.zone", World.zone)
            try await eventually("the zone") { try world.code("ns1.none.test") == 0 }
            #expect(try await daemon.stop() == 0)
        }

        @Test("without changes the model stays, even if many reloads are requested at once")
        func nothingChanged() async throws {
            let world = try World("same", fastPath: Self.off)
            let daemon = try await world.startReady()
            // A stamp of the last second says nothing.
            let written = Date()
            try await eventually("the next second") { Date().timeIntervalSince(written) > 1.1 }
            let touched = Date()
            try FileManager.default.setAttributes(
                [.modificationDate: touched], ofItemAtPath: world.url("example.com.zone").path)
            for _ in 0..<20 { daemon.kill(SIGHUP) }
            let report = try world.object(world.nearcast("reload", "--json"))
            #expect(report["changed"] as? Bool == false)
            #expect(report["epoch"] as? Int == 1)
            #expect(try world.epoch() == 1)
            #expect(try await daemon.stop() == 0)
        }

        @Test("a new database is loaded, and a broken one leaves the old one in use")
        func database() async throws {
            let world = try World("geo")
            world.configuration += "\nwatch: false"
            let daemon = try await world.startReady()
            #expect(try world.address(subnet: "19.0.0.0/24") == Service.berlin, "unknown: the default order")
            var writer = MMDBWriter.sample()
            writer.insert(try #require(.init("19.0.0.0/8")), .place("Singapore", 1.3521, 103.8198))
            try world.write("city.mmdb", writer.bytes)
            let report = try world.object(world.nearcast("reload", "--json"))
            #expect(report["database"] as? Bool == true)
            #expect(report["fastPath"] as? String == "tables")
            #expect(try world.address(subnet: "19.0.0.0/24") == Service.singapore)
            try world.write("city.mmdb", Array(writer.bytes.prefix(100)))
            let broken = world.nearcast("reload")
            #expect(broken.status == 1 && broken.output.contains("geographic database"), "\(broken.output)")
            #expect(try world.address(subnet: "19.0.0.0/24") == Service.singapore)
            #expect(world.nearcast("status").output.contains("not loaded"))
            #expect(try world.answeredByProgram() == 3)
            #expect(try await daemon.stop() == 0)
        }

        @Test("a daemon that is stopped during a reload ends and leaves nothing", arguments: [0, 20, 60, 120])
        func endedWhileReloading(milliseconds: Int) async throws {
            let world = try World("ending")
            let daemon = try await world.startReady()
            try world.writeZone(
                serial: 2, (0..<20_000).map { "h\($0) IN A 192.0.2.\($0 % 250)" }.joined(separator: "\n"))
            daemon.kill(SIGHUP)
            // Where in the reload the end comes is chance; every place is right.
            try await Task.sleep(for: .milliseconds(milliseconds))
            #expect(try await daemon.stop() == 0, "\(daemon.log)")
            try world.expectNothingLeft()
        }
    }
}

extension World {
    /// The value of a metric, with its labels if it has any.
    func metric(_ name: String) throws -> Double? {
        let socket = url("run/c.sock").path
        let text = try run(["curl", "-s", "--unix-socket", socket, "http://localhost/metrics"])
        return text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }?.split(separator: " ").last.flatMap {
            Double($0)
        }
    }
}
