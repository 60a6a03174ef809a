import Fixtures
import IPNetworks

/// Frames whose headers are bent below the DNS message, as somebody would who looks for a way around the rules: chains of
/// headers, fragments, stacks of tags, others' addresses, lengths and checksums that are not what they should be.
struct HeaderMutation {
    /// The host's addresses while these frames come: 17.0.2.53, its network's broadcast address, and one of IPv6.
    static let own: [[UInt8]] = [
        mapped([17, 0, 2, 53]), mapped([17, 0, 2, 255]), [0x24, 0] + [UInt8](repeating: 0, count: 13) + [0x53],
    ]

    private static func mapped(_ address: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: 10) + [255, 255] + address
    }

    private static let extensions: [UInt8] = [0, 43, 44, 60]

    var random: Deterministic

    init(seed: UInt64) { random = Deterministic(state: seed) }

    /// The bytes of a frame with bent headers, which the program must not answer.
    mutating func bytes(of frame: Frame) -> [UInt8] {
        var frame = frame
        let kind = number(8)
        if kind == 0 {
            frame.tags = (0..<(3 + number(7))).flatMap { _ in [0x81, 0, 0, UInt8(number(256))] as [UInt8] }
        }
        if kind == 1 { frame.source = own(frame.source.family) }
        if kind == 2 { frame.sourcePort = [0, 7, 13, 17, 19, 37, 53, 123, 1023][number(9)] }
        var bytes = frame.bytes
        let ip = 14 + frame.tags.count
        switch kind {
        case 3: bytes[number(6)] ^= 2
        case 4: chain(&bytes, ip, frame.source.family)
        case 5: fragment(&bytes, ip, frame.source.family)
        case 6: bytes[udp(ip, frame.source.family) + 5] &+= UInt8(1 + number(255))
        case 7: bend(&bytes, ip, frame.source.family)
        default: break
        }
        return bytes
    }

    private func udp(_ ip: Int, _ family: IPFamily) -> Int { ip + (family == .v4 ? 20 : 40) }

    private mutating func own(_ family: IPFamily) -> IPAddress {
        family == .v4 ? .v4(number(2) == 0 ? 0x1100_0235 : 0x1100_02ff) : .v6(UInt128(0x2400) << 112 | 0x53)
    }

    /// IPv4 options, or one to eight IPv6 extension headers of any kind and length.
    private mutating func chain(_ bytes: inout [UInt8], _ ip: Int, _ family: IPFamily) {
        if family == .v4 {
            let words = 1 + number(10)
            bytes[ip] = 0x45 + UInt8(words)
            setLength(&bytes, ip, family, by: 4 * words)
            bytes.insert(contentsOf: [UInt8](repeating: 1, count: 4 * words), at: ip + 20)
            return
        }
        var chain: [UInt8] = []
        var next: UInt8 = 17
        for _ in 0..<(1 + number(8)) {
            let kind = Self.extensions[number(4)]
            let words = kind == 44 ? 0 : number(3)
            chain =
                [next, UInt8(words), 0, 0, 0, 0, 0, UInt8(number(256))]
                + (0..<8 * words).map { _ in UInt8(number(256)) } + chain
            next = kind
        }
        bytes[ip + 6] = next
        setLength(&bytes, ip, family, by: chain.count)
        bytes.insert(contentsOf: chain, at: ip + 40)
    }

    private mutating func fragment(_ bytes: inout [UInt8], _ ip: Int, _ family: IPFamily) {
        let offset = UInt16(number(2) == 0 ? 0 : 1 + number(8_000))
        if family == .v4 {
            // A first fragment has more to follow; a later one may be the last.
            let flags = (offset == 0 || number(2) == 0 ? 0x2000 : 0) | offset
            bytes.replaceSubrange(ip + 6..<ip + 8, with: flags.wire)
        } else {
            bytes[ip + 6] = 44
            setLength(&bytes, ip, family, by: 8)
            bytes.insert(
                contentsOf: [17, 0] + (offset << 3 | UInt16(number(2))).wire + [0, 0, 0, 7], at: ip + 40)
        }
    }

    /// What only one family has: a header's length or version that is none, or a checksum of zero over IPv6.
    private mutating func bend(_ bytes: inout [UInt8], _ ip: Int, _ family: IPFamily) {
        if family == .v6 {
            bytes.replaceSubrange(ip + 46..<ip + 48, with: [0, 0])
        } else {
            bytes[ip] = [0x44, 0x40, 0x46, 0x4f, 0x55, 0x65][number(6)]
        }
    }

    private func setLength(_ bytes: inout [UInt8], _ ip: Int, _ family: IPFamily, by growth: Int) {
        let place = ip + (family == .v4 ? 2 : 4)
        let length = Int(bytes[place]) << 8 + Int(bytes[place + 1]) + growth
        bytes.replaceSubrange(place..<place + 2, with: UInt16(truncatingIfNeeded: length).wire)
    }

    /// From 0 to `limit` - 1.
    private mutating func number(_ limit: Int) -> Int { Int(truncatingIfNeeded: random.next() >> 33) % limit }
}
