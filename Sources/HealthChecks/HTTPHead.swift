/// Parses the header section of a response (RFC 9112, sections 2 to 5) as it arrives, as far as a check needs: its
/// status.
///
/// Each byte is examined once, and only the first twelve of a header are kept. So the cost of an answer does not depend
/// on how the node splits it into pieces.
struct HTTPHead {
    enum Finding: Hashable {
        case status(Int)
        case incomplete, malformed, tooLong, tooManyInterim
    }

    /// Limit of the bytes of all headers of one answer.
    static let limit = 64 << 10
    /// Limit of interim responses before the final one.
    static let interimLimit = 8
    /// `HTTP/1.1 200`
    private static let statusBytes = 12

    private var taken = 0
    private var interim = 0
    /// The beginning of the current header.
    private var start: [UInt8] = []
    /// Whether its first line has ended, and whether the current line holds nothing but CR so far.
    private var isBehindFirstLine = false
    private var isLineEmpty = true

    init() { start.reserveCapacity(Self.statusBytes) }

    /// Takes the next piece. Interim responses (RFC 9110, section 15.2) are skipped, except 101 Switching Protocols.
    mutating func take(_ piece: some Sequence<UInt8>) -> Finding {
        for byte in piece {
            taken += 1
            if taken > Self.limit { return .tooLong }
            if start.count < Self.statusBytes {
                start.append(byte)
                if start.count == Self.statusBytes, status == nil { return .malformed }
            }
            guard endsHead(with: byte) else { continue }
            guard let status else { return .malformed }
            guard (100...199).contains(status), status != 101 else { return .status(status) }
            interim += 1
            if interim > Self.interimLimit { return .tooManyInterim }
            start.removeAll(keepingCapacity: true)
            (isBehindFirstLine, isLineEmpty) = (false, true)
        }
        return .incomplete
    }

    /// Whether a byte ends the empty line after the fields. Lines may end without CR (RFC 9112, section 2.2).
    private mutating func endsHead(with byte: UInt8) -> Bool {
        if byte == UInt8(ascii: "\n") {
            defer { (isBehindFirstLine, isLineEmpty) = (true, true) }
            return isBehindFirstLine && isLineEmpty
        }
        if byte != UInt8(ascii: "\r") { isLineEmpty = false }
        return false
    }

    /// The status of the current header. `nil` while its beginning is incomplete, and when it is not a response.
    private var status: Int? {
        guard start.count == Self.statusBytes, start.starts(with: Array("HTTP/1.".utf8)), Self.isDigit(start[7]),
            start[8] == UInt8(ascii: " ")
        else { return nil }
        let digits = start[9..<Self.statusBytes]
        guard digits.allSatisfy(Self.isDigit) else { return nil }
        return digits.reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
