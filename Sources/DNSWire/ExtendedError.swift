/// The reason behind a response code (RFC 8914), sent without text.
public struct ExtendedError: RawRepresentable, Hashable, Sendable {
    /// The INFO-CODE (section 5.2).
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// An access list denies the sender (section 4.19).
    public static let prohibited = ExtendedError(rawValue: 18)
    /// The server has no zone for the name (section 4.21).
    public static let notAuthoritative = ExtendedError(rawValue: 20)
    /// The operation or query type is not served (section 4.22).
    public static let notSupported = ExtendedError(rawValue: 21)
}
