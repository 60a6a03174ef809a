import DNSWire
import Testing

/// Bytes from commented hex: "--" opens a comment, blanks are ignored.
private func hex(_ text: String) -> [UInt8] {
    let digits = text.split(separator: "\n").flatMap { line in
        line.prefix(upTo: line.firstRange(of: "--")?.lowerBound ?? line.endIndex).compactMap(\.hexDigitValue)
    }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

@Suite("A message that is truncated after it was written")
struct TruncatedMessageTests {
    /// `text` is hexadecimal with comments after `--`.
    private func cut(_ text: String) -> [UInt8] {
        var bytes = hex(text)
        let count = bytes.withUnsafeMutableBytes { TruncatedMessage.make(of: $0) }
        return Array(bytes[..<count])
    }

    private static let question = "01 61 00 0001 0001 -- a. A IN"
    private static let opt =
        "00 0029 04d0 0000 0000 000b 0008 0007 0001 10 10 c0 00 02 -- OPT: a client subnet of scope 16"

    @Test("keeps header, question and OPT, and sets TC")
    func opt() {
        let reply = cut(
            """
            1234 8580 0001 0002 0001 0002
            \(Self.question)
            c00c 0001 0001 0000003c 0004 c0000201 -- two A
            c00c 0001 0001 0000003c 0004 c0000202
            00 0002 0001 0000003c 0003 01 6e 00 -- NS of the root: not the OPT, though its owner is the root
            016e 00 0001 0001 0000003c 0004 c0000235
            \(Self.opt)
            """)
        #expect(reply == hex("1234 8780 0001 0000 0000 0001\n\(Self.question)\n\(Self.opt)"))
    }

    @Test("has no OPT where there was none, and may have no question")
    func plain() {
        #expect(
            cut("1234 8400 0001 0001 0000 0000\n\(Self.question)\nc00c 0001 0001 0000003c 0004 c0000201")
                == hex("1234 8600 0001 0000 0000 0000\n\(Self.question)"))
        #expect(cut("1234 8001 0000 0000 0000 0000") == hex("1234 8201 0000 0000 0000 0000"))
    }

    @Test(
        "is nil if it cannot be read",
        arguments: [
            "1234 8400 0001 00 -- half a header", "1234 8400 0001 0000 0000 0000 01 61 -- half a question",
            "1234 8400 0001 0001 0000 0000 01 61 00 0001 0001 c00c 0001 -- half a record",
            "1234 8400 0002 0000 0000 0000 00 0001 0001 00 0001 0001 -- two questions",
        ])
    func unreadable(text: String) {
        #expect(cut(text).isEmpty)
    }
}
