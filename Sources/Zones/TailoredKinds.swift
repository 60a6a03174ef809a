import DNSWire

/// Which record types are tailored at a name.
public struct TailoredKinds: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A and AAAA.
    public static let addresses = TailoredKinds(rawValue: 1)
    public static let srv = TailoredKinds(rawValue: 2)
    /// CNAME: the name has no other data.
    public static let alias = TailoredKinds(rawValue: 4)
    public static let https = TailoredKinds(rawValue: 8)
    public static let svcb = TailoredKinds(rawValue: 16)
    public static let txt = TailoredKinds(rawValue: 32)
    public static let mx = TailoredKinds(rawValue: 64)

    /// Whether zone data of `type` contradicts the tailored records at the same name.
    func contradicts(_ type: RecordType) -> Bool {
        guard !isEmpty else { return false }
        if type == .cname || contains(.alias) { return true }
        return contains(.addresses) && (type == .a || type == .aaaa) || contains(.srv) && type == .srv
            || contains(.https) && type == .https || contains(.svcb) && type == .svcb
            || contains(.txt) && type == .txt || contains(.mx) && type == .mx
    }
}
