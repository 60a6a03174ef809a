import DNSWire
import IPNetworks

/// Reads the RDATA of one type.
private typealias DataReader = @Sendable (inout FieldReader) throws(ZoneFileError) -> [UInt8]

/// The types that have a text form here. All others are written in the form of RFC 3597.
private let dataReaders: [RecordType: DataReader] = [
    .a: { (reader: inout FieldReader) throws(ZoneFileError) in try reader.address(.v4) },
    .aaaa: { (reader: inout FieldReader) throws(ZoneFileError) in try reader.address(.v6) },
    .ns: { (reader: inout FieldReader) throws(ZoneFileError) in try reader.name("the name server").wire },
    .cname: { (reader: inout FieldReader) throws(ZoneFileError) in try reader.name("the alias's target").wire },
    .dname: { (reader: inout FieldReader) throws(ZoneFileError) in try reader.name("the target").wire },
    .ptr: { (reader: inout FieldReader) throws(ZoneFileError) in try reader.name("the host").wire },
    .soa: { (reader: inout FieldReader) throws(ZoneFileError) in try reader.soa() },
    .mx: { (reader: inout FieldReader) throws(ZoneFileError) in
        try reader.uint16("the preference") + reader.name("the mail host").wire
    },
    .txt: { (reader: inout FieldReader) throws(ZoneFileError) in try reader.strings() },
    .srv: { (reader: inout FieldReader) throws(ZoneFileError) in
        try reader.uint16("the priority") + reader.uint16("the weight") + reader.uint16("the port")
            + reader.name("the target").wire
    },
    .caa: { (reader: inout FieldReader) throws(ZoneFileError) in try reader.caa() },
]

extension FieldReader {
    /// Reads the RDATA of `type`: in its own text form, or as `\# length hex` (RFC 3597, section 5), which every type takes.
    mutating func data(of type: RecordType) throws(ZoneFileError) -> [UInt8] {
        if !nextIsQuoted, peek == "\\#" {
            let start = self
            skip()
            let data = try genericData()
            guard type.isWellFormed(data) else {
                throw start.error("this is not valid RDATA of \(type); write its text form")
            }
            return data
        }
        guard let reader = dataReaders[type] else {
            throw error("\(type) has no text form here; write its RDATA as \\# length hex")
        }
        return try reader(&self)
    }

    private mutating func genericData() throws(ZoneFileError) -> [UInt8] {
        let length = Int(try number("the RDATA length", upTo: 65_535))
        let data = try hexBytes("the RDATA")
        guard data.count == length else {
            throw error("the RDATA has \(data.count) bytes and not \(length); correct the length or the digits")
        }
        return data
    }

    fileprivate mutating func address(_ family: IPFamily) throws(ZoneFileError) -> [UInt8] {
        let example = family == .v4 ? "an IPv4 address, like 192.0.2.1" : "an IPv6 address, like 2001:db8::1"
        guard let word = peek else { throw error("the address is missing; add \(example)") }
        guard let address = IPAddress(word), address.family == family else {
            throw error("\"\(word)\" is not an address of this type; write \(example)")
        }
        skip()
        return address.bytes
    }

    fileprivate mutating func uint16(_ what: String) throws(ZoneFileError) -> [UInt8] {
        let value = try number(what, upTo: 65_535)
        return [UInt8(value >> 8), UInt8(value & 255)]
    }

    fileprivate mutating func soa() throws(ZoneFileError) -> [UInt8] {
        var data = try name("the primary server").wire
        data += try name("the mailbox of the zone's keeper").wire
        data += Self.uint32(try number("the serial", upTo: .max))
        for field in ["the refresh time", "the retry time", "the expiry time", "the negative TTL"] {
            data += Self.uint32(try time(field))
        }
        return data
    }

    private static func uint32(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// One character string or more (RFC 1035, section 3.3.14).
    fileprivate mutating func strings() throws(ZoneFileError) -> [UInt8] {
        var data: [UInt8] = []
        repeat {
            let string = try bytes("the text", upTo: 255)
            data.append(UInt8(string.count))
            data += string
        } while !isAtEnd
        guard data.count <= 65_535 else { throw error("the record is longer than 65535 bytes; shorten it") }
        return data
    }

    /// Flags, tag and value (RFC 8659, section 4.1).
    fileprivate mutating func caa() throws(ZoneFileError) -> [UInt8] {
        let flags = UInt8(try number("the flags", upTo: 255))
        let place = self
        let tag = try bytes("the tag", upTo: 255)
        let isTag = { (byte: UInt8) in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(DomainName.lowercased(byte))
        }
        guard !tag.isEmpty, tag.allSatisfy(isTag) else {
            throw place.error("the tag has other characters than letters and digits; write issue, issuewild or iodef")
        }
        return [flags, UInt8(tag.count)] + tag + (try bytes("the value", upTo: 65_535 - 2 - tag.count))
    }
}
