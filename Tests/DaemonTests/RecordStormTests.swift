import CFastPathABI
import ControlFailures
import Fixtures
import Foundation
import ManagementClient
import ManagementTypes
import Synchronization
import Testing

extension DaemonProcess {
    /// Records that change while something else does.
    @Suite(.serialized) struct RecordStorms {
        @Test("amid takeovers every acknowledged change is served, and any other is served whole or not at all")
        func takeovers() async throws {
            let world = try World("rectake")
            world.configuration += "\nwatch: false"
            try world.writeZone(serial: 1, (0..<100).map { "h\($0) IN A 10.0.0.\($0)" }.joined(separator: "\n"))
            var daemon = try await world.startReady()
            let changers = (0..<4).map { Changer($0, world.url("run/c.sock").path) }
            for _ in 0..<2 {
                let before = changers.reduce(0) { $0 + $1.tally.acknowledged }
                try await eventually("changes") { changers.reduce(0) { $0 + $1.tally.acknowledged } > before + 20 }
                let successor = try world.start("--takeover")
                try await successor.ready()
                #expect(try await daemon.ended() == 0, "\(daemon.log)")
                daemon = successor
                try await eventually("the predecessor's place") {
                    daemon.log.contains(#"message="took over" predecessor"#)
                }
            }
            let before = changers.map(\.tally.acknowledged)
            try await eventually("changes by the last one") {
                zip(changers, before).allSatisfy { $0.tally.acknowledged > $1 + 3 }
            }
            let tallies = changers.map { $0.stop() }
            for (number, tally) in tallies.enumerated() {
                let addresses = try ["a\(number)", "b\(number)"].map { try #require(try world.last($0)) }
                #expect(addresses[0] == addresses[1], "both of a batch")
                let version = Int(addresses[0][2]) << 8 | Int(addresses[0][3])
                #expect((tally.acknowledged...tally.wished).contains(version), "\(version) of \(tally)")
                for name in ["a\(number).example.com", "b\(number).example.com"] {
                    #expect(try world.ask(name) == world.ask(name, stream: true))
                }
            }
            let serials = tallies.flatMap(\.serials)
            #expect(Set(serials).count == serials.count, "each batch has a serial of its own")
            let serial = try #require(try world.zone().serial)
            let most = tallies.reduce(1) { $0 + $1.wished }
            #expect((1 + serials.count...most).contains(serial), "\(serial): \(serials.count) told, \(most) wished")
            #expect(try world.change(World.wish("h1", "A", "10.9.9.9")).serial == UInt32(serial + 1))
            #expect(try world.last("h1") == [10, 9, 9, 9])
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
        }

        @Test("compaction of many changed names delays no change and loses no packet")
        func fold() async throws {
            let world = try World("recfold")
            world.configuration += "\nwatch: false"
            let count = 6_000
            let hosts = (0..<count).map { "h\($0) IN A 10.0.\($0 >> 8).\($0 & 255)" }.joined(separator: "\n")
            try world.writeZone(serial: 1, hosts)
            let daemon = try await world.startReady()
            let stable = try world.traffic([("ns1.example.com", [try #require(try world.ask("ns1.example.com"))])])
            func change(_ numbers: Range<Int>, _ version: Int) throws -> ReloadReport.FastPath {
                let wishes = numbers.map { World.wish("h\($0)", "A", "10.\(version).\($0 >> 8).\($0 & 255)") }
                return try ControlClient(path: world.url("run/c.sock").path).change(
                    RRsetsChange(changes: wishes), of: "example.com"
                ).fastPath
            }
            for start in stride(from: 0, to: count, by: 1_000) {
                #expect(try change(start..<start + 1_000, 1) == .names)
            }
            // Some while tables are planned, and what they lack is laid over them.
            for start in 0..<10 { #expect(try change(start * 5..<start * 5 + 5, 2) == .names) }
            try await eventually("the tables") { try world.metric("nearcast_overlay_names").map { $0 < 2_000 } ?? true }
            let before = try world.answeredByProgram()
            let asked = [0, 49, 50, 999, 1_000, 3_333, count - 1]
            for number in asked {
                let expected = [10, number < 50 ? 2 : 1, UInt8(number >> 8), UInt8(number & 255)]
                #expect(try world.last("h\(number)") == expected, "h\(number)")
                let name = "h\(number).example.com"
                #expect(try world.ask(name) == world.ask(name, stream: true))
            }
            #expect(try world.answeredByProgram() >= before + 2 * asked.count)
            let tally = stable.stop()
            #expect(tally.lost == 0)
            #expect(tally.wrong.isEmpty, "\(tally.wrong)")
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
        }

        @Test("after a change of the SOA, negative answers of both paths have its serial, TTL and minimum")
        func startOfAuthority() async throws {
            let world = try World("recsoa")
            world.configuration += "\nwatch: false"
            try world.writeZone(serial: 5, (0..<100).map { "h\($0) IN A 10.0.0.\($0)" }.joined(separator: "\n"))
            let daemon = try await world.startReady()
            func change(_ serial: UInt32, ttl: UInt32, minimum: UInt32) throws(ControlFailure) -> RRsetsReceipt {
                try world.change(
                    RRsetEdit(
                        name: "example.com", type: "SOA", ttl: ttl,
                        records: ["ns1.example.com. hostmaster.example.com. \(serial) 3600 900 604800 \(minimum)"]))
            }
            func expect(_ serial: UInt32, _ ttl: UInt32) throws {
                let before = try world.answeredByProgram()
                for (name, type) in [("none.example.com", 1), ("h1.example.com", 28)] as [(String, UInt16)] {
                    for stream in [false, true] {
                        let reply = try #require(try world.ask(name, type: type, stream: stream))
                        #expect(Self.negative(reply, name) == [ttl, serial], "\(name) stream \(stream): \(reply)")
                    }
                }
                #expect(try world.answeredByProgram() == before + 2)
            }
            try expect(5, 300)
            #expect(try world.change(World.wish("h2", "A", "10.1.1.1")).serial == 6)
            try expect(6, 300)
            do throws(ControlFailure) {
                _ = try change(4, ttl: 300, minimum: 20)
                Issue.record("a serial went back")
            } catch {
                #expect(error.message.contains("the serial 4 is not later than 6"), "\(error)")
            }
            try expect(6, 300)
            // As far on as a serial may go at once (RFC 1982, section 3.2), and on from there over the end of the numbers.
            let far = 6 + UInt32(Int32.max)
            let receipt = try change(far, ttl: 120, minimum: 30)
            #expect(receipt.serial == far && receipt.fastPath == .names)
            try expect(far, 30)
            #expect(try change(3, ttl: 120, minimum: 500).serial == 3)
            try expect(3, 120)
            #expect(try world.change(World.wish("h2", "A", "10.1.1.2")).serial == 4)
            try expect(4, 120)
            #expect(try await daemon.stop() == 0)
            try world.expectNothingLeft()
        }

        /// TTL and serial of the SOA that is the first record of a reply to a query for a name.
        private static func negative(_ reply: [UInt8], _ name: String) -> [UInt32] {
            func number(_ place: Int) -> UInt32 { reply[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
            // Behind the header and the question, whose name is two bytes longer than its text.
            let record = 12 + name.utf8.count + 2 + 4
            let length = Int(reply[record + 10]) << 8 | Int(reply[record + 11])
            return [number(record + 6), number(record + 12 + length - 20)]
        }
    }
}

/// Gives two names new addresses in one change, again and again: the next change follows when the last one is served.
private final class Changer: Sendable {
    struct Tally {
        var wished = 0
        var acknowledged = 0
        var serials: [UInt32] = []
    }

    private let state = Mutex(Tally())
    private let isStopping = Atomic(false)
    private let end = DispatchSemaphore(value: 0)

    init(_ number: Int, _ path: String) {
        Thread.detachNewThread { [self] in
            while !isStopping.load(ordering: .relaxed) {
                let version = state.withLock { tally in
                    tally.wished += 1
                    return tally.wished
                }
                let address = "10.2.\(version >> 8).\(version & 255)"
                let change = RRsetsChange(
                    changes: ["a", "b"].map { World.wish("\($0)\(number)", "A", address) })
                do throws(ControlFailure) {
                    let receipt = try ControlClient(path: path, timeoutSeconds: 5).change(change, of: "example.com")
                    state.withLock { tally in
                        tally.acknowledged = version
                        tally.serials.append(receipt.serial)
                    }
                } catch {
                    // Nobody listens for a moment, or changes nothing.
                    Thread.sleep(forTimeInterval: 0.01)
                }
            }
            end.signal()
        }
    }

    var tally: Tally { state.withLock { $0 } }

    func stop() -> Tally {
        isStopping.store(true, ordering: .relaxed)
        end.wait()
        return tally
    }
}
