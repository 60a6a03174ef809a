import DNSWire
import Testing

@Suite struct DecompressionTests {
    private func read(_ message: [UInt8], at start: Int) -> (name: String, end: Int)? {
        var position = start
        let name = message.withUnsafeBytes { DomainName.read(in: $0, at: &position) }
        return name.map { ("\($0)", position) }
    }

    // 0: "a." 3: "B" and a pointer to 0. 7: a pointer to 3.
    private let message: [UInt8] = [1, 0x61, 0, 1, 0x42, 0xC0, 0, 0xC0, 3]

    @Test func `pointers are followed, case is kept, and the position is after the first pointer`() throws {
        #expect(try #require(read(message, at: 0)) == ("a.", 3))
        #expect(try #require(read(message, at: 3)) == ("B.a.", 7))
        #expect(try #require(read(message, at: 7)) == ("B.a.", 9))
    }

    @Test(
        arguments: [
            ([0xC0, 0], 0),  // to itself
            ([1, 0x61, 0xC0, 0], 0),  // to the labels that it follows
            ([0, 0xC0, 4, 0xC0, 1], 3),  // forwards on the way
            ([3, 1, 0x61, 0, 0xC0, 1], 0),  // into the label before it
            ([0, 0xC0], 1),  // half a pointer
            ([3, 0x61, 0x61], 0),  // half a label
            ([1, 0x61], 0),  // no root label
            ([0x40, 0], 0), ([0x80, 0], 0),  // reserved kinds of label
            ([], 0), ([0], 1),
        ] as [([UInt8], Int)])
    func `names that loop, lead forwards or do not end are not read`(message: [UInt8], start: Int) {
        #expect(read(message, at: start) == nil)
    }

    @Test func `a name of 255 bytes is read and one of 256 bytes is not`() {
        let label = [UInt8(63)] + [UInt8](repeating: 0x61, count: 63)
        let three = label + label + label
        let (longest, tooLong) = (60, 61)
        for (length, isRead) in [(longest + 1, true), (tooLong + 1, false)] {
            let name = three + [UInt8(length)] + [UInt8](repeating: 0x61, count: length) + [0]
            #expect(name.count == 194 + length)
            #expect((read(name, at: 0) != nil) == isRead)
        }
    }
}
