import ControlFailures
import Fixtures
import Foundation
import Glibc
import ManagementClient
import ManagementTypes
import Synchronization
import Testing

extension World {
    /// Asks for changes of example.com, all or none.
    func change(_ changes: RRsetEdit...) throws(ControlFailure) -> RRsetsReceipt {
        try ControlClient(path: url("run/c.sock").path).change(RRsetsChange(changes: changes), of: "example.com")
    }

    static func wish(_ name: String, _ type: String, _ records: String...) -> RRsetEdit {
        RRsetEdit(name: "\(name).example.com", type: type, ttl: 60, records: records)
    }

    /// The last four bytes of an answer: of an address behind the question and the record's head.
    func last(_ name: String) throws -> [UInt8]? {
        try ask("\(name).example.com").flatMap {
            $0[7] == 0 ? nil : Array($0[(24 + name.utf8.count + 18)...].prefix(4))
        }
    }
}

extension DaemonProcess {
    /// Records that are changed one by one while the daemon serves.
    @Suite(.serialized) struct Records {
        @Test("both paths answer with changed records at once, and the changes survive a crash, a start and a reload")
        func kept() async throws {
            let world = try World("records", fastPath: "{interfaces: [ncs0], mode: native, on_exit: keep}")
            world.configuration += "\nwatch: false"
            let hosts = (0..<100).map { "h\($0) IN A 10.0.0.\($0)" }.joined(separator: "\n")
            try world.writeZone(serial: 5, hosts)
            var daemon = try await world.startReady()
            let set = world.nearcast("record", "set", "new.example.com", "60", "A", "10.0.1.1", "--author", "ann")
            #expect(set.output.hasPrefix("example.com. has serial 6: 1 RRset changed (change "), "\(set)")
            #expect(try world.last("new") == [10, 0, 1, 1])
            #expect(world.nearcast("record", "delete", "h1.example.com").status == 0)
            #expect(try world.code("h1.example.com") == 3)
            #expect(try world.answeredByProgram() == 2)
            #expect(try world.ask("new.example.com", stream: true)?.suffix(4) != nil)
            for round in 0..<3 {
                switch round {
                case 0:
                    try await daemon.crash()
                    #expect(try world.last("new") == [10, 0, 1, 1], "without a daemon")
                    daemon = try await world.startReady()
                case 1:
                    #expect(try await daemon.stop() == 0)
                    daemon = try await world.startReady()
                default:
                    try world.writeZone(serial: 6, hosts + "\nother IN A 10.0.2.1")
                    #expect(world.nearcast("reload").status == 0)
                    #expect(try world.last("other") == [10, 0, 2, 1])
                }
                #expect(try world.last("new") == [10, 0, 1, 1])
                #expect(try world.code("h1.example.com") == 3)
                #expect(try world.zone().serial == 7)
            }
            let list = world.nearcast("record", "list", "example.com", "--changed").output
            #expect(list.contains("h1.example.com.") && list.contains("(deleted)") && list.contains("ann"), "\(list)")
            // What the file has too is kept no longer.
            let file = world.nearcast("record", "export", "example.com").output
            try world.replaceFile("example.com.zone", file)
            #expect(world.nearcast("reload").status == 0)
            #expect(try world.last("new") == [10, 0, 1, 1])
            let report = try world.object(world.nearcast("record", "list", "example.com", "--json"))
            #expect(report["changed"] as? Int == 0 && report["serial"] as? Int == 7)
            #expect(try await daemon.stop() == 0)
            #expect(world.detachAlone().status == 0)
        }

        @Test("a batch is applied whole or not at all, and each refused change has its reason")
        func refused() async throws {
            let world = try World("batch", fastPath: "{mode: off}")
            world.configuration += "\nwatch: false"
            try world.writeZone(serial: 1, "a IN A 10.0.0.1")
            try world.replace("zones:", "zones:\n  - {origin: inner.example.com, file: example.com.zone}")
            let daemon = try await world.startReady()
            let digest = try world.object(world.nearcast("status", "--json"))["digest"] as? String
            do throws(ControlFailure) {
                _ = try world.change(
                    World.wish("b", "A", "10.0.0.2"), World.wish("a", "CNAME", "b.example.com."),
                    World.wish("www", "A", "10.0.0.3"))
                Issue.record("it was made")
            } catch {
                #expect(error.code == .invalid)
                #expect(
                    error.message == """
                        change 2 (a.example.com. CNAME): would have CNAME and A; delete one of them in the same batch
                        change 3 (www.example.com. A): is tailored and may not have A in its zone; change what is tailored, or \
                        remove the change
                        """)
            }
            for (wish, word) in [
                (World.wish("b", "A", "10.0.0"), "change 1 (b.example.com A): record 1, column 1"),
                (World.wish("b", "MX", "10 mail"), "does not end with a dot"),
                (World.wish("b", "NOPE", "x"), "unknown type"),
                (RRsetEdit(name: "b.example.com", type: "A", records: ["10.0.0.2"]), "there is no TTL"),
                (RRsetEdit(name: "b.example.org", type: "A", ttl: 1, records: ["10.0.0.2"]), "is not in the zone"),
                (World.wish("b", "NS", "ns1.example.com."), "change the zone file"),
                (RRsetEdit(name: "example.com", type: "NS"), "needs NS at its apex"),
                (World.wish("mün", "A", "10.0.0.2"), "write it as xn--…"),
                (World.wish("b", "SOA", "a. b. 1 2 3 4 5"), "exactly one SOA at its apex"),
                (World.wish("x.inner", "A", "10.0.0.2"), "is answered by the zone inner.example.com."),
            ] {
                do throws(ControlFailure) {
                    _ = try world.change(wish)
                    Issue.record("\(wish) was made")
                } catch { #expect(error.message.contains(word), "\(error)") }
            }
            for text in ["\u{1b}[31m", String(repeating: "x", count: 257)] {
                let refused = world.nearcast("record", "delete", "a.example.com", "--author", text)
                #expect(refused.status == 1 && refused.errors.contains("author is at most 256 bytes"), "\(refused)")
            }
            #expect(try world.code("b.example.com") == 3)
            #expect(try world.zone().serial == 1)
            #expect(try world.object(world.nearcast("status", "--json"))["digest"] as? String == digest)
            // The same without the address: an alias replaces it, in any order.
            let receipt = try world.change(
                World.wish("a", "CNAME", "b.example.com."), World.wish("a", "A"), World.wish("b", "A", "10.0.0.2"))
            #expect(receipt.serial == 2 && receipt.changed == 3)
            #expect(try world.code("b.example.com") == 0)
            let again = try world.change(World.wish("b", "A", "10.0.0.2"))
            #expect(again.changed == 0 && again.serial == 2, "nothing has changed")
            #expect(try await daemon.stop() == 0)
        }

        @Test(
            "a zone file that contradicts a saved change is refused by a reload, and served without the change at a start"
        )
        func impossible() async throws {
            let world = try World("laid", fastPath: "{mode: off}")
            world.configuration += "\nwatch: false"
            try world.writeZone(serial: 1)
            var daemon = try await world.startReady()
            _ = try world.change(
                World.wish("x", "TXT", "\"kept\""), World.wish("v", "TXT", "\"kept\""), World.wish("y", "A", "10.0.0.9")
            )
            try world.writeZone(serial: 9, "x IN CNAME ns1\nv IN CNAME ns1")
            let refused = world.nearcast("reload")
            #expect(refused.status == 1)
            #expect(
                refused.output.contains(
                    "example.com.zone:5:1: x.example.com. TXT, a record change made through the API"),
                "\(refused)")
            #expect(try world.zone().serial == 2)
            #expect(try world.code("x.example.com") == 0)
            #expect(try await daemon.stop() == 0)
            daemon = try await world.startReady()
            #expect(daemon.log.contains("x.example.com. TXT, a record change made through the API"), "\(daemon.log)")
            #expect(try world.zone().serial == 9)
            #expect(try world.last("y") == [10, 0, 0, 9])
            let one = world.nearcast("record", "drop", "example.com", "--name", "x.example.com")
            #expect(one.status == 1 && one.errors.contains("with one command: give --name for each name"), "\(one)")
            let both = ["--name", "x.example.com", "--name", "v.example.com"]
            let drop = world.nearcast(["record", "drop", "example.com"] + both)
            #expect(drop.status == 0, "\(drop)")
            #expect(world.nearcast("record", "drop", "example.com", "--name", "x.example.org").status == 1)
            #expect(world.nearcast("reload").status == 0)
            #expect(try world.last("y") == [10, 0, 0, 9])
            #expect(world.nearcast("record", "drop", "example.com").status == 0)
            #expect(try world.code("y.example.com") == 3)
            let serial = try #require(try world.zone().serial)
            #expect(serial > 9, "secondaries see that it changed")
            #expect(try await daemon.stop() == 0)
            daemon = try await world.startReady()
            #expect(try world.zone().serial == serial)
            #expect(try await daemon.stop() == 0)
        }

        @Test("changes from many connections share batches, continue during a rebuild of the tables, and none is lost")
        func many() async throws {
            let world = try World("manyrec")
            world.configuration += "\nwatch: false"
            try world.writeZone(serial: 1, (0..<100).map { "h\($0) IN A 10.0.0.\($0)" }.joined(separator: "\n"))
            let daemon = try await world.startReady()
            let path = world.url("run/c.sock").path
            let told = Mutex<[UInt32]>([])
            let (connections, changes) = (8, 15)
            for connection in 0..<connections {
                Thread.detachNewThread {
                    for number in 0..<changes {
                        let wish = RRsetEdit(
                            name: "c\(connection).example.com", type: "A", ttl: 60,
                            records: ["10.1.\(number).\(connection)"])
                        let receipt = try? ControlClient(path: path).change(
                            RRsetsChange(changes: [wish]), of: "example.com")
                        told.withLock { $0.append(receipt?.serial ?? 0) }
                    }
                }
            }
            // A new location table: meanwhile all tables are made again.
            try world.replace("geo: {", "geo: {overrides: [{prefix: 203.0.113.0/24, latitude: 1, longitude: 2}], ")
            try world.saveConfiguration()
            #expect(try world.object(world.nearcast("reload", "--json"))["fastPath"] as? String == "tables")
            try await eventually("all answers") { told.withLock { $0.count } == connections * changes }
            #expect(Set(told.withLock { $0 }).count == connections * changes, "each batch has a serial of its own")
            #expect(try world.zone().serial == 1 + connections * changes)
            let before = try world.answeredByProgram()
            for connection in 0..<connections {
                #expect(try world.last("c\(connection)") == [10, 1, UInt8(changes - 1), UInt8(connection)])
                #expect(
                    try world.ask("c\(connection).example.com") == world.ask("c\(connection).example.com", stream: true)
                )
            }
            #expect(try world.answeredByProgram() == before + 2 * connections)
            #expect(try await daemon.stop() == 0)
        }

        @Test("a change that cannot be saved is not applied")
        func readOnly() async throws {
            let world = try World("rokeep", fastPath: "{mode: off}")
            var daemon = try await world.startReady()
            #expect(try await daemon.stop() == 0)
            let state = world.url("state").path
            try world.mount("mount", "--bind", state, state)
            try world.mount("mount", "-o", "remount,ro,bind", state)
            daemon = try await world.startReady()
            let set = world.nearcast("record", "set", "b.example.com", "60", "A", "10.0.0.2")
            #expect(
                set.status == 1 && set.errors.contains("the store cannot be written, so the change is not made"),
                "\(set)")
            #expect(try world.code("b.example.com") == 3)
            #expect(try await daemon.stop() == 0)
        }
    }
}
