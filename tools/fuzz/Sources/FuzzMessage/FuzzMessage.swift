import FuzzSupport
import IPNetworks
import Resolution

/// A server with zones and tailored names. Global, so that the first input alone pays for it.
private let resolver = FuzzModel.resolver
nonisolated(unsafe) private var reply: [UInt8] = []

/// The first byte says how the packet came (bit 0: TCP, bit 1: IPv6, bit 2: TLS); the rest is the packet.
@_cdecl("LLVMFuzzerTestOneInput")
public func answerOne(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: data, count: count)
    guard let way = input.first else { return 0 }
    let transport: QueryTransport = way & 4 != 0 ? .tls : way & 1 != 0 ? .tcp : .udp
    let client = way & 2 == 0 ? IPAddress.v4(0x1001_0203) : .v6(0x2400_0001 << 96 | 1)
    // A copy of its own, so that a read beyond the packet's end is one beyond a block of memory.
    let packet = Array(input.dropFirst())
    let verdict = packet.withUnsafeBytes { resolver.respond(to: $0, from: client, over: transport, into: &reply) }
    // RFC 8906: every query gets a reply; only responses, and what has no header, do not.
    let isQuery = packet.count >= 12 && packet[2] & 0x80 == 0
    guard isQuery else {
        require(reply.isEmpty, "\(verdict): a reply to what is no query")
        return 0
    }
    require(reply.count >= 12 && reply.count <= (transport == .udp ? 1232 : 65_535), "\(verdict): \(reply.count) bytes")
    require(reply[..<2] == packet[..<2] && reply[2] & 0x80 != 0, "\(verdict): not the query's reply")
    ReplyReader.check(reply)
    return 0
}
