/// Codes of EDNS options (IANA registry "DNS EDNS0 Option Codes").
package enum OptionCode {
    package static let nsid: UInt16 = 3
    package static let clientSubnet: UInt16 = 8
    package static let cookie: UInt16 = 10
    package static let keepalive: UInt16 = 11
    package static let padding: UInt16 = 12
    package static let extendedError: UInt16 = 15
}

/// The contents of a query's OPT record (RFC 6891, section 6.1).
///
/// Options are read from version 0 only; unknown ones are ignored (section 6.1.2).
public struct EDNS: Hashable, Sendable {
    /// The largest UDP payload that the sender accepts, as sent (values below 512 mean 512).
    public var payloadSize: UInt16
    public var version: UInt8
    public var dnssecOK: Bool
    /// The options' range in the packet. It contains complete options, unless the query has a format error.
    public var optionsRange: Range<Int>
    public var clientSubnet: ClientSubnet?
    /// The first COOKIE option; `nil` if it is malformed.
    public var cookie: DNSCookie?
    /// Whether the first COOKIE option has an invalid length. That is a format error only for a server that supports
    /// cookies (RFC 7873, section 5.2.2), so it is not counted as one here.
    public var hasMalformedCookie = false
    /// The query requests the server's identifier (RFC 5001). Data sent with the request is ignored (section 2.1).
    public var asksForNSID = false
    /// The query requests the idle timeout of the connection (RFC 7828).
    public var asksForKeepalive = false
    /// The query is padded (RFC 7830).
    public var isPadded = false

    init(_ record: MessageCursor.Record) {
        payloadSize = record.recordClass.rawValue
        version = UInt8(truncatingIfNeeded: record.ttl >> 16)
        dnssecOK = record.ttl & 0x8000 != 0
        optionsRange = record.dataRange
    }

    /// Reads the options; `false` if they are malformed.
    mutating func readOptions(_ packet: UnsafeRawBufferPointer) -> Bool {
        var position = optionsRange.lowerBound
        let end = optionsRange.upperBound
        while position < end {
            guard end - position >= 4 else { return false }
            let code = packet.networkUInt16(at: position)
            let length = Int(packet.networkUInt16(at: position + 2))
            position += 4
            guard end - position >= length else { return false }
            let data = UnsafeRawBufferPointer(rebasing: packet[position..<position + length])
            guard readOption(code, data) else { return false }
            position += length
        }
        return true
    }

    private mutating func readOption(_ code: UInt16, _ data: UnsafeRawBufferPointer) -> Bool {
        switch code {
        case OptionCode.clientSubnet:
            // No cache could distinguish two client subnets.
            guard clientSubnet == nil, let subnet = ClientSubnet(queryOption: data) else {
                clientSubnet = nil
                return false
            }
            clientSubnet = subnet
        case OptionCode.cookie:
            // Only the first one counts (RFC 7873, section 5.2).
            guard cookie == nil, !hasMalformedCookie else { return true }
            cookie = DNSCookie(queryOption: data)
            hasMalformedCookie = cookie == nil
        case OptionCode.nsid: asksForNSID = true
        case OptionCode.keepalive: asksForKeepalive = true
        case OptionCode.padding: isPadded = true
        default: break
        }
        return true
    }
}
