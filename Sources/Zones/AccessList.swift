public import IPNetworks

/// Which senders may query a zone: allowed and denied networks. The most specific network that contains the sender
/// decides.
public struct AccessList: Hashable, Sendable {
    private let ranges: PrefixRanges<Bool>

    /// - Parameters:
    ///   - allow: networks that may query. If there are any, all other addresses of both families may not.
    ///   - deny: networks that may not query. A network in both lists is denied.
    public init(allow: [IPPrefix], deny: [IPPrefix]) {
        // An address in no network may query unless there is an `allow`. Denials come last, so they win in both lists.
        ranges = PrefixRanges(allow.map { ($0, true) } + deny.map { ($0, false) }, otherwise: allow.isEmpty)
    }

    public func admits(_ address: IPAddress) -> Bool { ranges[address] }
}
