import Fixtures
import Foundation
import GeoData
import IPNetworks
import Location
import Testing

@Suite("A database of autonomous systems")
struct ASNDataTests {
    private func load(_ writer: MMDBWriter) throws -> ASNData {
        let file = FileManager.default.temporaryDirectory.appending(path: "asn-\(UUID()).mmdb")
        try Data(writer.bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try ASNData.load(path: file.path)
    }

    private func asn<A>(_ address: A, _ ranges: PlaceRanges<A>) -> UInt32 {
        ranges.places[ranges.starts.lastIndex { $0 <= address } ?? 0]
    }

    @Test("finds the number of every address, in each spelling", arguments: [24, 28, 32])
    func numbers(recordSize: Int) throws {
        var writer = MMDBWriter()
        writer.recordSize = recordSize
        func number(_ value: MMDBWriter.Value) -> MMDBWriter.Value { .map([("autonomous_system_number", value)]) }
        writer.insert(try prefix("16.0.0.0/8"), number(.uint32(4_294_967_295)))
        writer.insert(try prefix("17.0.0.0/9"), number(.uint16(64500)))
        writer.insert(try prefix("17.128.0.0/9"), .map([("asn", .string("AS64500"))]))
        writer.insert(try prefix("18.0.0.0/8"), .map([("asn", .string("Example"))]))
        writer.insert(try prefix("2400::/16"), number(.uint32(64501)))
        writer.alias(try prefix("2002::/16"))
        let data = try load(writer)
        let expected: [(UInt32, UInt32)] = [
            (0x0f_ffffff, 0), (0x10_000000, 4_294_967_295), (0x11_000000, 64500), (0x11_ffffff, 64500),
            (0x12_000000, 0),
        ]
        for (address, number) in expected { #expect(asn(address, data.v4) == number) }
        #expect(asn(0x2400 << 112, data.v6) == 64501)
        #expect(asn(0x2002_1000 << 96, data.v6) == 0)
        #expect(data.v4.starts.filter { $0 >> 24 == 17 } == [17 << 24], "neighbours of one system are one range")
        #expect(data.missing(of: [64500, 64501, 64502]) == [64502])
    }

    @Test("a city database is refused")
    func noNumbers() throws {
        let error = try #require(throws: GeoDataError.self) { _ = try load(.sample()) }
        #expect(error.problem == "holds no AS numbers: an ASN database is needed")
    }
}
