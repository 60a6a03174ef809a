import Foundation
import ManagementTypes
import Testing

@Suite struct ControlDateTests {
    private struct Dated: Codable, Equatable { var at: Date }

    @Test(
        "times are written to the microsecond, and whole seconds without any",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (-500_000, "1969-12-31T23:59:59.500000Z"),
            (-11_676_096_000_000_000, "1600-01-01T00:00:00Z"), (1_795_377_603_000_001, "2026-11-22T20:00:03.000001Z"),
            (1_795_377_603_250_000, "2026-11-22T20:00:03.250000Z"),
            (1_795_377_603_999_999, "2026-11-22T20:00:03.999999Z"),
        ] as [(Int64, String)])
    func text(microseconds: Int64, text: String) throws {
        let json = try ControlJSON.encode(Dated(at: Date(timeIntervalSince1970: Double(microseconds) / 1e6)))
        #expect(String(decoding: json, as: UTF8.self) == "{\"at\":\"\(text)\"}")
    }

    @Test("times without a year of four digits are refused, and shown as the nearest that has one")
    func years() throws {
        for text in ["10000-01-01T00:00:00Z", "-1-01-01T00:00:00Z", "999999999-01-01T00:00:00Z"] {
            #expect(throws: (any Error).self) {
                try ControlJSON.decode(Dated.self, from: Array("{\"at\": \"\(text)\"}".utf8))
            }
        }
        func year(_ seconds: Double) throws -> Substring {
            let json = try ControlJSON.encode(Dated(at: Date(timeIntervalSince1970: seconds)))
            return String(decoding: json, as: UTF8.self).dropFirst(7).prefix(5)
        }
        #expect(try year(1e19) == "9999-" && year(-1e19) == "0001-")
    }

    @Test("what was written is read, and written the same again")
    func again() throws {
        let date = Date(timeIntervalSince1970: 1_795_377_603.654_321)
        for written in [Dated(at: date), Dated(at: Date(timeIntervalSince1970: 1_700_000_000.25))] {
            let read = try ControlJSON.decode(Dated.self, from: ControlJSON.encode(written))
            #expect(abs(read.at.timeIntervalSince(written.at)) < 1e-6)
            #expect(try ControlJSON.encode(read) == ControlJSON.encode(written))
        }
        #expect(String(decoding: try ControlJSON.encode(Dated(at: date)), as: UTF8.self).contains("03.654321Z"))
    }
}
