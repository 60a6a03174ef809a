import DNSWire
package import IPNetworks

/// What a reply says about the addresses of a host. Lifetimes are in seconds, as the server gave them.
package enum LookupReply: Hashable, Sendable {
    case addresses([IPAddress], seconds: UInt32)
    case noSuchName(seconds: UInt32)
    case noData(seconds: UInt32)
    /// The server cannot say, or contradicts itself.
    case failed(String)

    /// The longest chain of CNAME records that is followed.
    package static let longestChain = 8

    /// - Parameter reply: a message that answers `question`, by its verdict.
    package init(_ reply: [UInt8], to question: LookupQuestion) {
        self = reply.withUnsafeBytes { Self.read($0, question) }
    }

    private static func read(_ reply: UnsafeRawBufferPointer, _ question: LookupQuestion) -> LookupReply {
        guard let header = MessageHeader(reply), let records = LookupRecords(reply, question) else {
            return .failed("the reply is malformed")
        }
        // RFC 1035, section 4.1.1: a server that offers no recursion cannot know that data is missing.
        let (code, recurses) = (ResponseCode(rawValue: header.flags & 15), header.flags & 0x80 != 0)
        guard header.flags & MessageHeader.truncatedFlag == 0 else { return .failed("the reply is truncated") }
        guard code == .noError || code == .nxDomain else { return .failed("the server answers \(code)") }
        var (name, seconds, length): (DomainName, UInt32, Int) = (question.name, .max, 0)
        while let alias = records.aliases[name] {
            length += 1
            guard length <= longestChain else {
                return .failed("a chain of more than \(longestChain) CNAME records, or a loop")
            }
            (name, seconds) = (alias.target, min(seconds, alias.seconds))
        }
        // A reply about another name says nothing about this one.
        guard !records.hasAnswers || records.aliases[question.name] != nil || records.addresses[question.name] != nil
        else { return .failed("the reply answers another name") }
        // RFC 6604, section 3: the response code is that of the last name of the chain.
        if code == .noError, let found = records.addresses[name] {
            return .addresses(found.addresses, seconds: min(seconds, found.seconds))
        }
        guard recurses else { return .failed("the server offers no recursion") }
        // RFC 2308, section 2.2: what tells a referral from NODATA. Without either record it is NODATA: some forwarders
        // leave the SOA out.
        guard code == .nxDomain || records.hasSOA || !records.hasServers else {
            return .failed("the server refers to others")
        }
        seconds = min(seconds, records.negativeSeconds)
        return code == .nxDomain ? .noSuchName(seconds: seconds) : .noData(seconds: seconds)
    }
}

/// The records of a reply that matter for addresses.
private struct LookupRecords {
    var aliases: [DomainName: (target: DomainName, seconds: UInt32)] = [:]
    var addresses: [DomainName: (addresses: [IPAddress], seconds: UInt32)] = [:]
    /// RFC 2308, section 5: the lesser of the SOA record's TTL and its MINIMUM. 0 without one.
    var negativeSeconds: UInt32 = 0
    /// Whether the answer section has records.
    var hasAnswers = false
    /// Whether the authority section has records of these types.
    private(set) var (hasSOA, hasServers) = (false, false)

    /// `nil`: malformed.
    init?(_ reply: UnsafeRawBufferPointer, _ question: LookupQuestion) {
        guard let header = MessageHeader(reply) else { return nil }
        var at = question.message.count
        let answers = Int(header.answerCount)
        hasAnswers = answers > 0
        for index in 0..<answers + Int(header.authorityCount) {
            guard let owner = DomainName.read(in: reply, at: &at), at + 10 <= reply.count else { return nil }
            let (type, recordClass) = (RecordType(rawValue: reply.short(at)), reply.short(at + 2))
            // RFC 2181, section 8: a TTL with the highest bit set is 0.
            let ttl = reply.long(at + 4)
            let data = at + 10..<at + 10 + Int(reply.short(at + 8))
            guard data.upperBound <= reply.count else { return nil }
            at = data.upperBound
            guard recordClass == 1 else { continue }
            let seconds = ttl > UInt32(Int32.max) ? 0 : ttl
            guard take(owner, type, seconds, data, reply, question.family, inAnswer: index < answers) else {
                return nil
            }
        }
    }

    private mutating func take(
        _ owner: DomainName, _ type: RecordType, _ seconds: UInt32, _ data: Range<Int>, _ reply: UnsafeRawBufferPointer,
        _ family: IPFamily, inAnswer: Bool
    ) -> Bool {
        var at = data.lowerBound
        switch type {
        case .cname where inAnswer:
            guard let target = DomainName.read(in: reply, at: &at), at == data.upperBound else { return false }
            if aliases[owner] == nil { aliases[owner] = (target, seconds) }
        case RecordType(addressesOf: family) where inAnswer:
            guard data.count == family.byteCount, let address = IPAddress(bytes: reply[data]) else { return false }
            var found = addresses[owner] ?? ([], .max)
            if !found.addresses.contains(address) { found.addresses.append(address) }
            found.seconds = min(found.seconds, seconds)
            addresses[owner] = found
        case .soa where !inAnswer:
            guard DomainName.read(in: reply, at: &at) != nil, DomainName.read(in: reply, at: &at) != nil,
                at + 20 == data.upperBound
            else { return false }
            hasSOA = true
            negativeSeconds = min(seconds, reply.long(at + 16))
        case .ns where !inAnswer: hasServers = true
        default: break
        }
        return true
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func short(_ at: Int) -> UInt16 { UInt16(self[at]) << 8 | UInt16(self[at + 1]) }
    fileprivate func long(_ at: Int) -> UInt32 { UInt32(short(at)) << 16 | UInt32(short(at + 2)) }
}
