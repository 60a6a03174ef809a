public import IPNetworks

/// Who may ask: networks allowed and denied, of which the most specific one that holds the sender decides.
public struct AccessList: Hashable, Sendable {
    private let ranges: PrefixRanges<Bool>

    /// - Parameters:
    ///   - allow: networks that may ask; when there are any, all others of both families may not.
    ///   - deny: networks that may not; a network in both lists may not.
    public init(allow: [IPPrefix], deny: [IPPrefix]) {
        // Who is in no network may ask unless somebody is allowed by name. Of a network in both lists the denial comes last.
        ranges = PrefixRanges(allow.map { ($0, true) } + deny.map { ($0, false) }, otherwise: allow.isEmpty)
    }

    public func admits(_ address: IPAddress) -> Bool { ranges[address] }
}
