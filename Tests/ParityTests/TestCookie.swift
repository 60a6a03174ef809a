import CFastPathABI
import IPNetworks

/// Cookies as RFC 9018 defines them, made here from its text.
enum TestCookie {
    /// The server's, the one that makes cookies first.
    static let secrets: [[UInt8]] = [Array(0..<16), Array(16..<32), Array(repeating: 0xa5, count: 16)]

    /// Client cookie, then: version 1, reserved, timestamp, and the hash of all these and the address (section 4.4).
    static func whole(
        _ client: [UInt8], for address: IPAddress, at second: UInt32, by secret: [UInt8] = secrets[0]
    ) -> [UInt8] {
        let head: [UInt8] = [1, 0, 0, 0] + stride(from: 24, through: 0, by: -8).map { UInt8(second >> $0 & 255) }
        func words(_ bytes: [UInt8]) -> [UInt64] {
            stride(from: 0, to: bytes.count, by: 8).map { start in
                bytes[start..<min(start + 8, bytes.count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            }
        }
        let message = client + head + address.bytes
        let key = words(secret)
        let (whole, rest) = (words(message), message.count % 8)
        let hash = nc_siphash_words(
            nc_siphash_key(k0: key[0], k1: key[1]), whole, UInt32(message.count / 8),
            rest == 0 ? 0 : whole[whole.count - 1],
            UInt32(message.count))
        return client + head + (0..<8).map { UInt8(hash >> (8 * $0) & 255) }
    }
}
