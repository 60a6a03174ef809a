import Fixtures
import Foundation
import GeoData
import Glibc
import IPNetworks
import Synchronization
import Testing

/// A file that cannot be used is refused, never half read.
@Suite struct GeoDataDamageTests {
    private func problem(_ bytes: [UInt8]) throws -> String {
        try #require(throws: GeoDataError.self) { _ = try load(bytes) }.problem
    }

    @Test("a missing file is named, with the remedy")
    func missing() throws {
        let error = try #require(throws: GeoDataError.self) { try GeoData.load(path: "/nowhere/city.mmdb") }
        #expect(
            "\(error)" == "geographic database /nowhere/city.mmdb cannot be opened: "
                + "check that it exists and that nearcastd may read it")
    }

    @Test("a folder, an empty file and garbage are refused")
    func noDatabase() throws {
        #expect(throws: GeoDataError.self) { try GeoData.load(path: NSTemporaryDirectory()) }
        #expect(throws: GeoDataError.self) { try load([]) }
        let garbage = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        #expect(try problem(garbage).hasPrefix("is not a usable MMDB file"))
    }

    @Test("a file that is truncated and rewritten while it is read does no harm")
    func cutWhileRead() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "geodata-\(UUID()).mmdb")
        defer { try? FileManager.default.removeItem(at: file) }
        let bytes = Data(MMDBWriter.sample().bytes)
        try bytes.write(to: file)
        let isDone = Mutex(false)
        let hasEnded = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            while !isDone.withLock({ $0 }) {
                truncate(file.path, 0)
                try? bytes.write(to: file)
            }
            hasEnded.signal()
        }
        for _ in 0..<2_000 { _ = try? GeoData.load(path: file.path) }
        isDone.withLock { $0 = true }
        hasEnded.wait()
        #expect(try GeoData.load(path: file.path).networks == 5)
    }

    @Test("a file truncated anywhere is refused", arguments: 0..<100)
    func truncated(percent: Int) throws {
        let bytes = MMDBWriter.sample().bytes
        _ = try problem(Array(bytes.prefix(bytes.count * percent / 100)))
    }

    @Test("a tree followed by the metadata, without data, is refused")
    func hollow() throws {
        let writer = MMDBWriter.sample()
        let bytes = writer.bytes
        let marker = try #require(bytes.indices.last { bytes[$0...].starts(with: [0xab, 0xcd, 0xef]) })
        _ = try problem(Array(bytes[..<writer.treeBytes] + bytes[marker...]))
    }

    @Test("a tree with a pointer to its root is refused")
    func loop() throws {
        var writer = MMDBWriter.sample()
        writer.nodes[writer.nodes.count - 1].right = .node(0)
        #expect(try problem(writer.bytes).contains("is damaged"))
    }

    @Test("a node that is its own child is refused")
    func selfLoop() throws {
        var writer = MMDBWriter(.v4)
        writer.insert(try prefix("0.0.0.0/2"), .place("Here", 1, 1))
        writer.nodes[0].right = .node(0)
        #expect(try problem(writer.bytes).contains("is damaged"))
    }

    @Test(
        "a record that points between the tree and its data, or behind the data, is refused",
        arguments: [1, 15, 1 << 20])
    func wildRecord(beyond: Int) throws {
        var writer = MMDBWriter.sample()
        writer.nodes[0].right = .raw(writer.nodes.count + beyond)
        #expect(try problem(writer.bytes).contains("is damaged"))
    }

    @Test("a tree deeper than an address is refused")
    func tooDeep() throws {
        var writer = MMDBWriter(.v4)
        writer.insert(try prefix("255.255.255.255/32"), .place("Here", 1, 1))
        writer.nodes.append((.empty, .empty))
        writer.nodes[31].right = .node(32)
        #expect(try problem(writer.bytes).contains("is damaged"))
    }

    @Test("a database without coordinates is refused, with what is needed")
    func noCoordinates() throws {
        var writer = MMDBWriter()
        writer.type = "Sample-Country"
        writer.insert(try prefix("1.0.0.0/8"), .map([("country", .map([("iso_code", .string("FR"))]))]))
        #expect(try problem(writer.bytes) == "holds no coordinates: a City database is needed")
    }

    @Test("a flipped byte changes a location or is refused, and does nothing worse")
    func flippedBytes() throws {
        let writer = MMDBWriter.sample()
        let bytes = writer.bytes
        var refused = 0
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= index % 2 == 0 ? 0x80 : 0x01
            do { _ = try load(damaged) } catch is GeoDataError { refused += 1 }
        }
        #expect(refused > bytes.count / 4)
    }
}
