/// The compiled XDP program that this build carries.
public enum FastPathObject {
    /// The object, an ELF file with BTF, as libbpf opens it from memory. Decoded at every call, in linear time.
    public static var bytes: [UInt8] { decode(embeddedObject) }

    /// An object as the build embeds it: two hexadecimal digits a byte.
    package static func decode(_ object: StaticString) -> [UInt8] {
        object.withUTF8Buffer { digits in
            [UInt8](unsafeUninitializedCapacity: digits.count / 2) { bytes, count in
                count = digits.count / 2
                for index in 0..<count {
                    bytes[index] = nibble(digits[2 * index]) << 4 | nibble(digits[2 * index + 1])
                }
            }
        }
    }

    /// The value of a digit that `od` wrote: 0-9, a-f.
    private static func nibble(_ digit: UInt8) -> UInt8 {
        digit < UInt8(ascii: "a") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10
    }
}
