import DNSWire

/// How the names of a zone are hashed for denial (RFC 5155, section 4).
struct NSEC3Parameters: Hashable, Sendable {
    /// The maximum number of iterations. RFC 9276, section 3.1, recommends 0; validators stop at 50 to 150.
    static let maximumIterations: UInt16 = 150
    /// SHA-1 is the only algorithm defined.
    private static let sha1: UInt8 = 1

    let iterations: UInt16
    let salt: [UInt8]

    /// Reads the RDATA of NSEC3PARAM, or the same fields of NSEC3; flags are ignored. `nil` for another algorithm and
    /// for RDATA that is too short.
    init?(_ data: UnsafeRawBufferPointer) {
        guard data.count >= 5, data[0] == Self.sha1, data.count >= 5 + Int(data[4]) else { return nil }
        iterations = UInt16(data[2]) << 8 | UInt16(data[3])
        salt = Array(data[5..<5 + Int(data[4])])
    }

    /// The hash of a lower-cased wire name (RFC 5155, section 5).
    func hash(_ name: UnsafeRawBufferPointer) -> SHA1.Digest {
        salt.withUnsafeBytes { salt in
            var hash = SHA1()
            hash.update(name)
            hash.update(salt)
            var digest = hash.finish()
            for _ in 0..<iterations {
                hash = SHA1()
                hash.update(digest)
                hash.update(salt)
                digest = hash.finish()
            }
            return digest
        }
    }

    /// The hash in the name of an NSEC3 record's owner: its first label in base32hex (RFC 4648, section 7).
    static func digest(ofOwner name: UnsafeRawBufferPointer) -> SHA1.Digest? {
        guard name.count > 33, name[0] == 32 else { return nil }
        var words: InlineArray<5, UInt32> = [0, 0, 0, 0, 0]
        for index in 0..<160 {
            let digit = name[1 + index / 5]
            let value: UInt8
            switch DomainName.lowercased(digit) {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "v"): value = DomainName.lowercased(digit) - UInt8(ascii: "a") + 10
            default: return nil
            }
            let bit = value >> UInt8(4 - index % 5) & 1
            words[index / 32] = words[index / 32] << 1 | UInt32(bit)
        }
        return SHA1.Digest(words: (words[0], words[1], words[2], words[3], words[4]))
    }
}
