/// A response code, including the upper eight bits that EDNS adds (RFC 6891, section 6.1.3).
public struct ResponseCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// 12 bits: the lower four are in the header, the others in the OPT record.
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let noError = ResponseCode(rawValue: 0)
    public static let formErr = ResponseCode(rawValue: 1)
    public static let servFail = ResponseCode(rawValue: 2)
    public static let nxDomain = ResponseCode(rawValue: 3)
    public static let notImp = ResponseCode(rawValue: 4)
    public static let refused = ResponseCode(rawValue: 5)
    public static let yxDomain = ResponseCode(rawValue: 6)
    public static let notAuth = ResponseCode(rawValue: 9)
    public static let badVers = ResponseCode(rawValue: 16)
    public static let badCookie = ResponseCode(rawValue: 23)

    public var description: String {
        switch self {
        case .noError: "NOERROR"
        case .formErr: "FORMERR"
        case .servFail: "SERVFAIL"
        case .nxDomain: "NXDOMAIN"
        case .notImp: "NOTIMP"
        case .refused: "REFUSED"
        case .yxDomain: "YXDOMAIN"
        case .notAuth: "NOTAUTH"
        case .badVers: "BADVERS"
        case .badCookie: "BADCOOKIE"
        default: "RCODE\(rawValue)"
        }
    }
}

/// The kind of a message: four bits of the header.
public struct Opcode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let query = Opcode(rawValue: 0)
    public static let status = Opcode(rawValue: 2)
    public static let notify = Opcode(rawValue: 4)
    public static let update = Opcode(rawValue: 5)
}
