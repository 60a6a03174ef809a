import Fixtures
import Foundation
import Glibc
import Testing

extension DaemonProcess {
    /// Records that change in the program's tables.
    @Suite(.serialized) struct Overlay {
        @Test("a few changes of a zone go into the tables in use, survive a crash, and are part of the next tables")
        func fewChanges() async throws {
            let world = try World("overlay", fastPath: "{interfaces: [ncs0], mode: native, on_exit: keep}")
            world.configuration += "\nwatch: false"
            let hosts = (0..<100).map { "h\($0) IN A 10.0.0.\($0)" }.joined(separator: "\n")
            try world.writeZone(serial: 1, hosts)
            var daemon = try await world.startReady()
            func last(_ name: String) throws -> [UInt8]? { try world.ask(name).map { Array($0[45..<49]) } }
            func reload(_ expected: String) throws {
                let report = try world.object(world.nearcast("reload", "--json"))
                #expect(report["fastPath"] as? String == expected)
            }
            #expect(try world.code("new.example.com") == 3)
            try world.writeZone(serial: 2, hosts + "\nnew IN A 10.0.1.1")
            try reload("names")
            #expect(try last("new.example.com") == [10, 0, 1, 1])
            #expect(try world.code("x.new.example.com") == 3)
            #expect(try world.code("h7.example.com") == 0)
            #expect(try world.answeredByProgram() == 4)
            #expect(world.nearcast("status").output.contains("names and shared replies changed since"))
            #expect(
                try world.metric("nearcast_overlay_names") == 5,
                "the name, the apex, the server that the SOA names, two replies")
            try world.writeZone(serial: 3, hosts)
            try reload("names")
            #expect(try world.code("new.example.com") == 3)
            try world.writeZone(serial: 4, hosts + "\nnew IN A 10.0.1.2")
            try reload("names")
            try await daemon.crash()
            #expect(try last("new.example.com") == [10, 0, 1, 2], "without a daemon")
            daemon = try await world.startReady()
            #expect(try last("new.example.com") == [10, 0, 1, 2])
            #expect(try world.metric("nearcast_overlay_names") == nil)
            try world.writeZone(serial: 5, hosts + "\nnew IN A 10.0.1.3")
            try reload("names")
            #expect(try last("new.example.com") == [10, 0, 1, 3])
            // A setting that the tables hold: all tables are made again.
            world.configuration += "\nidentity: {nsid: other}"
            try world.saveConfiguration()
            try reload("tables")
            #expect(try last("new.example.com") == [10, 0, 1, 3])
            #expect(try world.metric("nearcast_overlay_names") == nil)
            #expect(try await daemon.stop() == 0)
            #expect(world.detachAlone().status == 0)
        }
    }
}
