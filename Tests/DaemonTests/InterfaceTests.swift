import Fixtures
import Foundation
import Testing

extension DaemonProcess {
    /// Interfaces that come and go under a running daemon.
    @Suite(.serialized) struct Interfaces {
        @Test(
            "an interface gets the program when it appears, also after it was down or removed"
        )
        func comesAndGoes() async throws {
            let world = try World("links", fastPath: "{interfaces: [ncs0, ncx0], mode: auto}")
            let daemon = try await world.startReady()
            #expect(daemon.log.contains("there is no interface ncx0 yet"), "\(daemon.log)")
            #expect(try world.mode(of: "ncx0") == "off")
            #expect(try world.address() == Service.berlin)
            for _ in 0..<2 {
                try world.lab.serverIP("link", "add", "ncx0", "type", "veth", "peer", "name", "ncx1")
                try await eventually("the program") { try world.mode(of: "ncx0") == "native" }
                try world.lab.serverIP("link", "set", "ncx0", "up")
                try await eventually("the news") { try !world.reason(of: "ncx0").contains("the interface is down") }
                try world.lab.serverIP("link", "set", "ncx0", "down")
                try await eventually("the news") { try world.reason(of: "ncx0").contains("the interface is down") }
                #expect(try world.mode(of: "ncx0") == "native", "the program stays on it")
                try world.lab.serverIP("link", "delete", "ncx0")
                try await eventually("the news") { try world.reason(of: "ncx0").contains("the interface went away") }
                #expect(try world.mode(of: "ncs0") == "native")
            }
            #expect(try world.address() == Service.berlin)
            #expect(try world.answeredByProgram() == 2)
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
        }

        @Test(
            "`nearcast doctor` reports on a veth pair with and without a program, on loopback, and on a missing interface"
        )
        func doctor() async throws {
            let world = try World("doctor")
            func findings(_ interface: String) throws -> [[String: Any]] {
                let outcome = world.nearcast(["doctor", "--interface", interface, "--json"], socket: false)
                let report = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
                #expect(outcome.status == (report?["ok"] as? Bool == true ? 0 : 1), "\(outcome)")
                return (report?["findings"] as? [[String: Any]] ?? []).filter { $0["subject"] as? String == interface }
            }
            func text(_ interface: String) throws -> String {
                try findings(interface).compactMap { $0["text"] as? String }.joined(separator: "\n")
            }
            #expect(try text("ncs0").contains("the peer must run an XDP program too"))
            let daemon = try await world.startReady()
            #expect(try text("ncs0").contains("veth: an XDP program is attached in native mode"))
            #expect(try text("lo").contains("no native XDP"))
            let missing = try findings("ncs9")
            #expect(missing.map { $0["level"] as? String } == ["problem"])
            let people = world.nearcast("doctor", "--interface", "ncs0", socket: false)
            #expect(people.output.contains("good") && people.output.contains("ncs0"), "\(people)")
            #expect(!people.output.contains("port 53"), "it is the daemon's")
            #expect(try await daemon.stop() == 0)
        }
    }
}

extension World {
    private func interface(_ name: String) throws -> [String: Any] {
        let reports = try object(nearcast("status", "--json"))["fastPath"] as? [[String: Any]] ?? []
        return try #require(reports.first { $0["interface"] as? String == name })
    }

    fileprivate func mode(of name: String) throws -> String? { try interface(name)["mode"] as? String }

    fileprivate func reason(of name: String) throws -> String { try interface(name)["reason"] as? String ?? "" }
}
