import DNSWire

/// RDATA whose fields depend on one another: APL, IPSECKEY, AMTRELAY and HIP.
extension FieldReader {
    /// `[!]family:address/length` words to the end; there may be none (RFC 3123, section 5).
    mutating func prefixes(_ what: String) throws(ZoneFileError) {
        while !isAtEnd {
            guard appendPrefix(tokens[index].range) else {
                throw error(
                    "\(shownWord) in \(what) is not a prefix; write 1: and IPv4 or 2: and IPv6, like 1:192.0.2.0/24, "
                        + "with \"!\" before it to exclude")
            }
            index += 1
        }
    }

    /// Appends a prefix without trailing zero bytes of its address; `false` if it is invalid.
    private mutating func appendPrefix(_ range: Range<Int>) -> Bool {
        let isNegated = text[range].first == UInt8(ascii: "!")
        let word = isNegated ? range.dropFirst() : range
        guard let colon = text[word].firstIndex(of: UInt8(ascii: ":")), colon == word.lowerBound + 1,
            let slash = text[word].lastIndex(of: UInt8(ascii: "/")), slash > colon,
            let length = GeneratedRange.number(text[(slash + 1)..<word.upperBound])
        else { return false }
        let family = text[word.lowerBound] &- 0x30
        append(UInt16(family))
        append(UInt8(truncatingIfNeeded: length))
        let lengthPlace = output.count
        output.append(0)
        if family == 1, length <= 32, let address = dottedQuad(colon + 1..<slash) {
            append(address)
        } else if family == 2, length <= 128, let address = groups(colon + 1..<slash) {
            append(address)
        } else {
            return false
        }
        while output.count > lengthPlace + 1, output.last == 0 { output.removeLast() }
        output[lengthPlace] = UInt8(output.count - lengthPlace - 1) | (isNegated ? 0x80 : 0)
        return true
    }

    /// `type algorithm gateway [key]` (RFC 4025, section 3.1). Algorithm 0 has no key (section 2.4).
    mutating func gatewayAndKey() throws(ZoneFileError) {
        let type = try gatewayType("the gateway type")
        let algorithm = UInt8(try number("the algorithm", upTo: 255))
        append(algorithm)
        try gateway("the gateway", type)
        if algorithm != 0 { try base64ToEnd("the public key") }
    }

    /// `discovery type relay` (RFC 8777, section 4.3.1).
    mutating func relay() throws(ZoneFileError) {
        let isOptional = try number("the discovery flag", upTo: 1) == 1
        let place = output.count
        let type = try gatewayType("the relay type")
        if isOptional { output[place] |= 0x80 }
        try gateway("the relay", type)
    }

    private mutating func gatewayType(_ what: String) throws(ZoneFileError) -> DataField.Gateway {
        let word = try token(what)
        guard let type = DataField.Gateway(rawValue: UInt8(try number(what, upTo: 255))) else {
            throw error("\(what) is not 0 (none), 1 (IPv4), 2 (IPv6) or 3 (a name); correct it", at: word)
        }
        append(type.rawValue)
        return type
    }

    private mutating func gateway(_ what: String, _ type: DataField.Gateway) throws(ZoneFileError) {
        switch type {
        case .none:
            _ = try token(what)
            guard nextIs(".") else { throw error("\(what) is present although its type is 0; write \".\" instead") }
            skip()
        case .ipv4: try ipv4Address()
        case .ipv6: try ipv6Address()
        case .name: try name(what)
        }
    }

    /// `algorithm tag key [server...]` (RFC 8005, section 6).
    mutating func hostIdentity() throws(ZoneFileError) {
        let start = output.count
        output.append(0)
        append(UInt8(try number("the algorithm", upTo: 255)))
        append(UInt16(0))
        let tag = try token("the host identity tag")
        let tagLength = try hex("the host identity tag", wordCount: 1)
        guard (1...255).contains(tagLength) else {
            throw error("the host identity tag is not 1 to 255 bytes in hexadecimal; correct it", at: tag)
        }
        let (key, place) = (try token("the public key"), output.count)
        try base64("the public key", wordCount: 1)
        let keyLength = output.count - place
        guard keyLength <= 65_535 else { throw error("the public key is longer than 65535 bytes; shorten it", at: key) }
        output[start] = UInt8(tagLength)
        (output[start + 2], output[start + 3]) = (UInt8(keyLength >> 8), UInt8(keyLength & 255))
        while !isAtEnd { try name("the rendezvous server") }
    }
}
