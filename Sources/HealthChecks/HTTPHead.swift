/// Reads the head of a response (RFC 9112, sections 2 to 5) as it arrives, as far as a check wants to know: its status.
struct HTTPHead {
    enum Finding: Hashable {
        case status(Int)
        case incomplete, malformed, tooLong
    }

    private static let limit = 64 << 10
    /// `HTTP/1.1 200`
    private static let statusBytes = 12

    private var bytes: [UInt8] = []

    /// Status codes of interim responses (RFC 9110, section 15.2) are passed over, the switch of protocols excepted.
    mutating func take(_ piece: some Sequence<UInt8>) -> Finding {
        bytes += piece
        while bytes.count >= Self.statusBytes {
            guard let status = Self.status(bytes) else { return .malformed }
            guard let end = Self.end(of: bytes) else { break }
            guard (100...199).contains(status), status != 101 else { return .status(status) }
            bytes.removeFirst(end)
        }
        return bytes.count > Self.limit ? .tooLong : .incomplete
    }

    private static func status(_ bytes: [UInt8]) -> Int? {
        let digits = bytes[9..<statusBytes]
        guard bytes.starts(with: Array("HTTP/1.".utf8)), isDigit(bytes[7]), bytes[8] == UInt8(ascii: " "),
            digits.allSatisfy(isDigit)
        else { return nil }
        return digits.reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Bytes up to the end of the empty line; lines may end without CR (RFC 9112, section 2.2).
    private static func end(of bytes: [UInt8]) -> Int? {
        var lineStart: Int?
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
            if let lineStart, bytes[lineStart..<index].allSatisfy({ $0 == UInt8(ascii: "\r") }) { return index + 1 }
            lineStart = index + 1
        }
        return nil
    }
}
