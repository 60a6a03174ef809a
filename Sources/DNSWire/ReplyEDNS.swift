import IPNetworks

extension MessageWriter {
    /// The OPT record of the reply (RFC 6891).
    public struct ReplyEDNS {
        /// The UDP payload size announced, in bytes, as RFC 9715 recommends.
        public static let payloadSize: UInt16 = 1232
        /// Length of the record without options, in bytes.
        static let fixedLength = 11
        /// The length of a padded reply is a multiple of this (RFC 8467, section 4.1).
        static let paddingBlock = 468

        public var dnssecOK: Bool
        /// Echoed with its scope; `nil` for none.
        public var clientSubnet: ClientSubnet?
        /// The server's identifier (RFC 5001), at most 128 bytes.
        public var nsid: [UInt8]?
        /// The client's cookie with a server cookie.
        public var cookie: DNSCookie?
        /// Idle timeout of a TCP connection (RFC 7828), in units of 100 ms.
        public var keepalive: UInt16?
        public var extendedError: ExtendedError?
        /// Whether the message is padded to a whole block (RFC 7830).
        public var isPadded = false

        public init(dnssecOK: Bool, clientSubnet: ClientSubnet?) {
            self.dnssecOK = dnssecOK
            self.clientSubnet = clientSubnet
        }

        /// Length of the record with empty padding, in bytes.
        var length: Int { Self.fixedLength + optionsLength }

        private var optionsLength: Int {
            var length = 0
            if let clientSubnet { length += 4 + clientSubnet.dataLength }
            if let nsid { length += 4 + nsid.count }
            if cookie != nil { length += 4 + 24 }
            if keepalive != nil { length += 4 + 2 }
            if extendedError != nil { length += 4 + 2 }
            if isPadded { length += 4 }
            return length
        }

        /// Bytes of padding for a message of `count` bytes with empty padding, whose length must not exceed `limit`.
        func paddingLength(_ count: Int, limit: Int) -> Int {
            guard isPadded else { return 0 }
            let missing = (Self.paddingBlock - count % Self.paddingBlock) % Self.paddingBlock
            return max(0, min(missing, limit - count))
        }
    }

    /// Appends the OPT record, which must be last.
    mutating func append(_ edns: ReplyEDNS) {
        let padding = edns.paddingLength(length + edns.length, limit: limit)
        append(UInt8(0))
        let flags = UInt32(responseCode.rawValue >> 4) << 24 | (edns.dnssecOK ? 0x8000 : 0)
        append(.opt, ReplyEDNS.payloadSize, ttl: flags)
        append(UInt16(edns.length - ReplyEDNS.fixedLength + padding))
        if let subnet = edns.clientSubnet { append(subnet) }
        if let nsid = edns.nsid {
            appendOption(OptionCode.nsid, length: nsid.count)
            nsid.withUnsafeBytes { append($0) }
        }
        if let cookie = edns.cookie, let server = cookie.server {
            appendOption(OptionCode.cookie, length: 24)
            append(cookie.client.bigEndian, byteCount: 8)
            append(server.head.bigEndian, byteCount: 8)
            append(server.hash.bigEndian, byteCount: 8)
        }
        if let keepalive = edns.keepalive {
            appendOption(OptionCode.keepalive, length: 2)
            append(keepalive)
        }
        if let error = edns.extendedError {
            appendOption(OptionCode.extendedError, length: 2)
            append(error.rawValue)
        }
        if edns.isPadded {
            appendOption(OptionCode.padding, length: padding)
            appendZeros(padding)
        }
    }

    private mutating func append(_ subnet: ClientSubnet) {
        appendOption(OptionCode.clientSubnet, length: subnet.dataLength)
        append(UInt16(subnet.family.rawValue))
        append(subnet.sourceLength)
        append(subnet.scopeLength)
        switch subnet.address {
        case .v4(let value): append(value.bigEndian, byteCount: subnet.addressByteCount)
        case .v6(let value): append(value.bigEndian, byteCount: subnet.addressByteCount)
        }
    }

    private mutating func appendOption(_ code: UInt16, length: Int) {
        append(code)
        append(UInt16(length))
    }
}
