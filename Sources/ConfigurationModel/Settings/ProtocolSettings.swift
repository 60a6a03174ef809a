public import IPNetworks

/// `identity`: what the server reveals about itself on request. Values that are `nil` are not disclosed.
public struct IdentitySettings: Sendable {
    /// 1 to 128 bytes (RFC 5001).
    public let nsid: [UInt8]?
    /// At most 255 bytes; TXT of class CH at `id.server` and `hostname.bind`.
    public let hostname: String?
    /// At most 255 bytes; TXT of class CH at `version.server` and `version.bind`.
    public let version: String?
    /// Whether the server reveals the model's digest and epoch, as TXT of class CH at `digest.nearcast`.
    public let tellsDigest: Bool
}

/// `cookies`: DNS cookies (RFC 7873).
public struct CookieSettings: Sendable {
    public let isEnabled: Bool
    /// 16 bytes each. Empty when they are in a file, or to be generated.
    public let secrets: [[UInt8]]
    /// A file of secrets, 32 hexadecimal digits per line.
    public let secretFile: PathSetting?
    /// Whether a UDP query with an invalid server cookie gets BADCOOKIE.
    public let isRequired: Bool

    /// Maximum number of secrets in a configuration.
    public static let maximumSecrets = 8

    /// Reads 32 hexadecimal digits. `nil` for anything else.
    public static func secret(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.count == 32 else { return nil }
        return hexadecimal(text)
    }

    /// Reads pairs of hexadecimal digits. `nil` for anything else.
    static func hexadecimal(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.compactMap { $0.isASCII ? $0.hexDigitValue : nil }
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

/// `rate_limit`: how often a client network gets replies of one class.
public struct RateLimitSettings: Sendable, Equatable {
    /// 1 to 65,535. `nil`: only errors are limited.
    public let responsesPerSecond: Int?
    /// 1 to 65,535.
    public let errorsPerSecond: Int
    /// 0 to 10.
    public let slip: Int
    /// 0 to 32.
    public let v4PrefixLength: Int
    /// 0 to 128.
    public let v6PrefixLength: Int
    /// Networks that are not limited.
    public let exempt: [IPPrefix]
    /// Whether replies over the limit are only counted.
    public let isDryRun: Bool

    /// The default without the key: only errors are limited.
    public static let byDefault = RateLimitSettings(
        responsesPerSecond: nil, errorsPerSecond: defaultErrorsPerSecond, slip: 2, v4PrefixLength: 24,
        v6PrefixLength: 56, exempt: [], isDryRun: false)

    static let defaultErrorsPerSecond = 1_000

    /// Exempt networks that the fast path compares.
    public static let maximumFastPathExempt = 16
}
