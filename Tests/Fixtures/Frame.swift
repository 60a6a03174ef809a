public import IPNetworks

/// An Ethernet frame with a UDP datagram, and what a test wants to know of one.
public struct Frame: Sendable {
    public var source: IPAddress
    public var destination: IPAddress
    public var sourcePort: UInt16 = 40_000
    public var destinationPort: UInt16 = 53
    public var message: [UInt8]
    /// VLAN tags, four bytes each: protocol, then control information.
    public var tags: [UInt8] = []

    public static let clientMAC: [UInt8] = [2, 0, 0, 0, 0, 1]
    public static let serverMAC: [UInt8] = [2, 0, 0, 0, 0, 2]

    public init(from source: IPAddress, to destination: IPAddress, _ message: [UInt8]) {
        self.source = source
        self.destination = destination
        self.message = message
    }

    /// The frame, with right checksums.
    public var bytes: [UInt8] {
        var udp = sourcePort.wire + destinationPort.wire + UInt16(8 + message.count).wire + [0, 0] + message
        let sum = Self.checksum(pseudoHeader(length: udp.count) + udp)
        udp.replaceSubrange(6..<8, with: (sum == 0 ? 0xffff : sum).wire)
        let ip = source.family == .v4 ? ipv4Header(payload: udp.count) : ipv6Header(payload: udp.count)
        let type: UInt16 = source.family == .v4 ? 0x0800 : 0x86dd
        return Self.serverMAC + Self.clientMAC + tags + type.wire + ip + udp
    }

    private func pseudoHeader(length: Int) -> [UInt8] {
        source.bytes + destination.bytes + [0, 17] + UInt16(length).wire
    }

    private func ipv4Header(payload: Int) -> [UInt8] {
        var header: [UInt8] = [0x45, 0] + UInt16(20 + payload).wire + [0, 1, 0, 0, 64, 17, 0, 0]
        header += source.bytes + destination.bytes
        header.replaceSubrange(10..<12, with: Self.checksum(header).wire)
        return header
    }

    private func ipv6Header(payload: Int) -> [UInt8] {
        [0x60, 0, 0, 0] + UInt16(payload).wire + [17, 64] + source.bytes + destination.bytes
    }

    /// The internet checksum (RFC 1071); 0 over data that carries its own.
    public static func checksum(_ bytes: [UInt8]) -> UInt16 {
        var sum: UInt32 = 0
        for index in stride(from: 0, to: bytes.count, by: 2) {
            sum += UInt32(bytes[index]) << 8 + (index + 1 < bytes.count ? UInt32(bytes[index + 1]) : 0)
        }
        while sum > 0xffff { sum = sum & 0xffff + sum >> 16 }
        return ~UInt16(sum)
    }

    /// Reads a frame; nil when a header, a length or a checksum is wrong. A UDP checksum of 0 says that there is none, which no
    /// reply may say (RFC 768; RFC 8200, section 8.1).
    ///
    /// - Parameter isReply: else it is one that was bent: padding and wrong checksums are let pass.
    public init?(bytes: [UInt8], isReply: Bool = true) {
        guard bytes.count >= 42 else { return nil }
        var tagged = 12
        while tagged < 20, [[0x81, 0], [0x88, 0xa8]].contains(Array(bytes[tagged..<tagged + 2])) { tagged += 4 }
        let tags = Array(bytes[12..<tagged])
        let bytes = Array(bytes[0..<12] + bytes[tagged...])
        guard bytes.count >= 42 else { return nil }
        let isV4 = bytes[12] == 0x08 && bytes[13] == 0
        let udpStart = isV4 ? 34 : 54
        guard bytes.count >= udpStart + 8 else { return nil }
        let addresses = isV4 ? bytes[26..<34] : bytes[22..<54]
        guard let source = IPAddress(bytes: addresses.prefix(addresses.count / 2)),
            let destination = IPAddress(bytes: addresses.suffix(addresses.count / 2))
        else { return nil }
        let ipLength = isV4 ? Int(bytes[16]) << 8 + Int(bytes[17]) - 20 : Int(bytes[18]) << 8 + Int(bytes[19])
        let udp = Array(isReply ? bytes[udpStart...] : bytes[udpStart...].prefix(max(8, ipLength)))
        func word(_ offset: Int) -> UInt16 { UInt16(udp[offset]) << 8 | UInt16(udp[offset + 1]) }
        let length = Int(word(4))
        guard length == udp.count, length == ipLength else { return nil }
        self.init(from: source, to: destination, Array(udp[8...]))
        self.tags = tags
        sourcePort = word(0)
        destinationPort = word(2)
        guard isReply else { return }
        let header = isV4 ? Array(bytes[14..<34]) : []
        guard header.isEmpty || Self.checksum(header) == 0, word(6) != 0,
            Self.checksum(pseudoHeader(length: length) + udp) == 0
        else {
            return nil
        }
    }
}
