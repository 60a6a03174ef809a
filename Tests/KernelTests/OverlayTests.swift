import BPFRuntime
import DNSWire
import FastPathDriver
import FastPathPlan
import Fixtures
import Foundation
import IPNetworks
import Resolution
import Synchronization
import Testing
import Zones

extension Kernel {
    @Suite(.serialized) @MainActor struct Overlays {
        private static let apex = "busy.test"
        private static let names = (0..<50).map { "h\($0).\(apex)" }

        private static func changes(_ version: UInt32) throws -> [RRsetChange] {
            let number = withUnsafeBytes(of: version.bigEndian) { Array($0) }
            let host = try DomainName("ns.\(apex)").wire
            let soa = host + host + number + Array(repeating: 0, count: 15) + [60]
            let serial = RRsetChange(owner: try DomainName(apex), type: .soa, ttl: 60, records: [soa])
            return try [serial]
                + names.map { RRsetChange(owner: try DomainName($0), type: .a, ttl: 60, records: [number]) }
        }

        private static func zone() throws -> Zone {
            var builder = ZoneBuilder(apex: try DomainName(apex))
            for change in try changes(0) {
                for data in change.records {
                    try builder.add(
                        ResourceRecord(
                            owner: change.owner, type: change.type, recordClass: .in, ttl: change.ttl, data: data))
                }
            }
            for number in 0..<20_000 {
                try builder.add(
                    ResourceRecord(
                        owner: try DomainName("other\(number).\(apex)"), type: .a, recordClass: .in, ttl: 60,
                        data: [10, 0, UInt8(number >> 8), UInt8(number & 255)]))
            }
            return try builder.build()
        }

        @Test("repeated changes of records under traffic lose no answer, and each answer is of one version")
        func changesUnderTraffic() throws {
            let path = try LiveFastPath("overlay")
            let maps = try #require(path.maps)
            var model = path.model.replacing(
                try ZoneSet(path.model.zones.zones + [Self.zone()]), epoch: 2, digest: 2)
            let place = model.zones.zones.count - 1
            let image = try FastPathImage(model, services: SampleModel.services, secret: 7)
            let larger = try FastPathMaps(sizedFor: image, adopting: maps.adoptableState, pins: path.pins)
            try larger.publish(image)
            _ = try path.attach(larger, [.native])
            let resolver = ModelResolver(model: model, words: path.words)
            let traffic = VersionedTraffic(
                try path.client(LiveFastPath.known4, to: SampleModel.service4),
                try (Self.names + ["x.\(Self.names[0])", "none.\(Self.apex)", Self.apex]).map {
                    let message = query($0)
                    let reply = answer(resolver, message, try address(LiveFastPath.known4))
                    return (message, reply, $0.hasPrefix("h") ? reply.count - 4 : Self.serialPlace(in: reply))
                })
            let limit = ContinuousClock.now + .seconds(60)
            var version: UInt32 = 0
            while version < 50 || traffic.asked < 2_000, ContinuousClock.now < limit {
                version += 1
                let (edited, names) = try model.zones.zones[place].applying(Self.changes(version))
                let next = model.replacing(model.zones.replacing([place: edited]), epoch: model.epoch + 1, digest: 2)
                let changes = try #require(
                    StaticChanges(
                        from: model, to: next, names: [place: names], sharing: larger.sharingZones,
                        limit: 100))
                traffic.begin(version)
                #expect(try larger.change(changes))
                traffic.end(version)
                try larger.retire()
                model = next
            }
            let tally = traffic.stop()
            #expect(tally.lost == 0)
            #expect(tally.wrong.isEmpty, "\(tally.wrong)")
            #expect(version >= 50 && tally.asked >= 2_000, "\(version) versions, \(tally.asked) queries in a minute")
            #expect(larger.overlay?.count == Self.names.count + 3, "names, apex, and two replies that names share")
            for name in Self.names.prefix(5) + ["x.\(Self.names[1])"] {
                let message = query(name)
                let reply = try path.client(LiveFastPath.known4, to: SampleModel.service4).ask(message)
                let last = ModelResolver(model: model, words: path.words)
                #expect(reply == answer(last, message, try address(LiveFastPath.known4)))
            }
        }

        @Test(
            "names that change while new tables are filled are part of the new tables"
        )
        func filledBeside() throws {
            let path = try LiveFastPath("beside")
            let first = try #require(path.maps)
            let model = path.model.replacing(
                try ZoneSet(path.model.zones.zones + [Self.zone()]), epoch: 2, digest: 2)
            let place = model.zones.zones.count - 1
            let image = try FastPathImage(model, services: SampleModel.services, secret: 7)
            let maps = try FastPathMaps(sizedFor: image, adopting: first.adoptableState, pins: path.pins)
            try maps.publish(image)
            _ = try path.attach(maps, [.native])
            let filled = Mutex<FastPathMaps.FilledTables?>(nil)
            let (filling, end) = (try maps.filling(of: image), DispatchSemaphore(value: 0))
            Thread.detachNewThread {
                filled.withLock { $0 = try? filling.make() }
                end.signal()
            }
            let (edited, names) = try model.zones.zones[place].applying(Self.changes(1))
            let next = model.replacing(model.zones.replacing([place: edited]), epoch: 3, digest: 3)
            let changes = try #require(
                StaticChanges(
                    from: model, to: next, names: [place: names], sharing: maps.sharingZones, limit: 100))
            #expect(try maps.change(changes))
            try maps.retire()
            end.wait()
            let tables = try #require(filled.withLock { $0 })
            let bytes = maps.tableBytes.reduce(0) { $0 + $1.bytes }
            #expect(try maps.fill(image, from: tables, changing: changes))
            maps.flip()
            try maps.readers?.wait()
            maps.settle()
            let leaving = try #require(try maps.leaveIdle())
            try leaving.free()
            #expect(maps.tableBytes.reduce(0) { $0 + $1.bytes } == bytes)
            for name in Self.names.prefix(5) + ["x.\(Self.names[1])", "other7.\(Self.apex)", "www.example.com"] {
                let message = query(name)
                let reply = try path.client(LiveFastPath.known4, to: SampleModel.service4).ask(message)
                let resolver = ModelResolver(model: next, words: path.words)
                #expect(reply == answer(resolver, message, try address(LiveFastPath.known4)), "\(name)")
            }
            // Tables of another program do not fit: new ones are made.
            try maps.fill(image, from: try first.filling(of: try #require(first.image)).make())
            maps.flip()
            try maps.retire()
            let message = query("other9.\(Self.apex)")
            let reply = try path.client(LiveFastPath.known4, to: SampleModel.service4).ask(message)
            let resolver = ModelResolver(model: model, words: path.words)
            #expect(reply == answer(resolver, message, try address(LiveFastPath.known4)))
        }

        /// The SERIAL of the SOA that ends a reply: before the last four of its five numbers.
        private static func serialPlace(in reply: [UInt8]) -> Int { reply.count - 20 }
    }
}

/// Asks without a pause for names of a zone whose replies hold its version in four bytes. A reply must be of a version between
/// the last that was complete when it was asked for and the last that was begun when it came.
private final class VersionedTraffic: Sendable {
    struct Tally {
        var asked = 0
        var lost = 0
        var wrong: [String] = []
    }

    private let begun = Atomic<UInt32>(0)
    private let complete = Atomic<UInt32>(0)
    private let isStopping = Atomic(false)
    private let end = DispatchSemaphore(value: 0)
    private let state = Mutex(Tally())

    /// - Parameter queries: with the reply of version 0, and where in it the version stands.
    init(_ client: DNSClient, _ queries: [(message: [UInt8], reply: [UInt8], place: Int)]) {
        Thread { [self] in
            var index = 0
            while !isStopping.load(ordering: .relaxed) {
                let query = queries[index % queries.count]
                index += 1
                let first = complete.load(ordering: .sequentiallyConsistent)
                let reply = client.ask(query.message)
                judge(
                    reply, query.reply, query.place, first...max(first, begun.load(ordering: .sequentiallyConsistent)))
            }
            end.signal()
        }.start()
    }

    func begin(_ version: UInt32) { begun.store(version, ordering: .sequentiallyConsistent) }

    func end(_ version: UInt32) { complete.store(version, ordering: .sequentiallyConsistent) }

    private func judge(_ reply: [UInt8]?, _ pattern: [UInt8], _ place: Int, _ versions: ClosedRange<UInt32>) {
        state.withLock { tally in
            tally.asked += 1
            guard var reply else {
                tally.lost += 1
                return
            }
            guard reply.count == pattern.count else { return tally.wrong.append("\(reply)") }
            let version = reply[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            for index in place..<place + 4 { reply[index] = pattern[index] }
            guard reply == pattern, versions.contains(version) else {
                if tally.wrong.count < 10 { tally.wrong.append("version \(version) of \(versions): \(reply)") }
                return
            }
        }
    }

    var asked: Int { state.withLock { $0.asked } }

    func stop() -> Tally {
        isStopping.store(true, ordering: .relaxed)
        end.wait()
        return state.withLock { $0 }
    }
}
