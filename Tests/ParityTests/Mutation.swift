import Fixtures

/// Frames bent as a whole, headers included: what the program makes of them is either nothing, or a reply to the datagram
/// that they still are.
struct Mutation {
    var random: Deterministic

    init(seed: UInt64) { random = Deterministic(state: seed) }

    /// The frame's bytes, of every fourth one bent.
    mutating func bytes(of frame: Frame) -> [UInt8] {
        var bytes = frame.bytes
        guard number(4) == 0 else { return bytes }
        switch number(8) {
        case 0: bytes.removeLast(1 + number(bytes.count - 14))
        case 1: bytes += (0...number(60)).map { _ in UInt8(number(256)) }
        case 2:
            // The message alone: its header stays, so that most pass for queries.
            for place in bytes.indices.suffix(max(0, frame.message.count - 12)) where number(3) == 0 {
                bytes[place] = UInt8(number(256))
            }
        case 3:
            let length = 1 + number(12)
            let (from, to) = (number(bytes.count), number(bytes.count))
            for index in 0..<length where max(from, to) + index < bytes.count {
                bytes[to + index] = bytes[from + index]
            }
        case 4: flip(&bytes, bytes.indices.suffix(frame.message.count), 1 + number(4))
        default: flip(&bytes, bytes.indices, 1 + number(3))
        }
        return bytes
    }

    private mutating func flip(_ bytes: inout [UInt8], _ places: Range<Int>, _ count: Int) {
        for _ in 0..<count where !places.isEmpty { bytes[places.lowerBound + number(places.count)] ^= 1 << number(8) }
    }

    /// From 0 to `limit` - 1; 0 for no limit above 0.
    private mutating func number(_ limit: Int) -> Int {
        limit > 1 ? Int(truncatingIfNeeded: random.next() >> 33) % limit : 0
    }
}
