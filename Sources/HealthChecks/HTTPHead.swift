/// Reads the head of a response (RFC 9112, sections 2 to 5) as it arrives, as far as a check wants to know: its status.
///
/// Each byte is looked at once, and none is kept but the first twelve of a head: what a node sends costs no more than it
/// takes to receive, however it is cut into pieces.
struct HTTPHead {
    enum Finding: Hashable {
        case status(Int)
        case incomplete, malformed, tooLong, tooManyInterim
    }

    /// Bytes of all heads of an answer.
    static let limit = 64 << 10
    /// Interim responses before the final one.
    static let interimLimit = 8
    /// `HTTP/1.1 200`
    private static let statusBytes = 12

    private var taken = 0
    private var interim = 0
    /// The begin of the head at hand.
    private var start: [UInt8] = []
    /// Whether its first line has ended, and the line at hand has nothing but CR so far.
    private var isBehindFirstLine = false
    private var isLineEmpty = true

    init() { start.reserveCapacity(Self.statusBytes) }

    /// Takes the next piece. Status codes of interim responses (RFC 9110, section 15.2) are passed over, the switch of
    /// protocols excepted.
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

    /// Whether a byte ends the empty line behind the fields; lines may end without CR (RFC 9112, section 2.2).
    private mutating func endsHead(with byte: UInt8) -> Bool {
        if byte == UInt8(ascii: "\n") {
            defer { (isBehindFirstLine, isLineEmpty) = (true, true) }
            return isBehindFirstLine && isLineEmpty
        }
        if byte != UInt8(ascii: "\r") { isLineEmpty = false }
        return false
    }

    /// Of the head at hand; `nil` while its begin is not there, and when it is not that of a response.
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
