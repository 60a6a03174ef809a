import DNSWire
import Lints

extension ZoneFileParser {
    /// Reads the current entry as `[owner] [TTL] [class] type RDATA`.
    mutating func readRecord() throws(ZoneFileError) {
        let (line, column) = (reader.line, reader.column)
        if !reader.startsWithBlank { try readOwner() }
        guard let owner else {
            throw reader.error(
                "the first record begins with a blank, so it has no owner; begin it with a name or \"@\"")
        }
        let (stated, type) = try readTTLClassAndType()
        try reader.data(of: type)
        try reader.end()
        guard let ttl = stated ?? defaultTTL ?? lastTTL else {
            throw reader.error("the record has no TTL; begin the file with \"$TTL 1h\", or give the record one")
        }
        lastTTL = stated ?? lastTTL
        guard contents.records.bytes.count < RecordList.byteLimit else {
            throw reader.error("the zone has more than 4 GiB of data; delegate parts of it to zones of their own")
        }
        contents.records.append(
            owner: owner, type: type, ttl: ttl, data: reader.output, file: file, line: line, column: column)
    }

    private mutating func readOwner() throws(ZoneFileError) {
        reader.output.removeAll(keepingCapacity: true)
        try reader.name("the owner")
        if let owner, contents.records.isSame(owner, reader.output) { return }
        owner = contents.records.appendOwner(reader.output)
    }

    /// Seconds, limited to 2³¹ − 1 with a warning (RFC 2181, section 8).
    mutating func readTTL(_ what: String) throws(ZoneFileError) -> UInt32 {
        let place = reader.index
        let ttl = try reader.time(what)
        guard ttl > UInt32(Int32.max) else { return ttl }
        var warning = reader.error(
            "\(what) is longer than \(Int32.max) seconds, which is served in its place (RFC 2181, section 8); make it "
                + "shorter", at: reader.tokens[place])
        warning.lint = .ttlTooLong
        // Otherwise, $GENERATE would repeat the warning for each record.
        if contents.warnings.last != warning { contents.warnings.append(warning) }
        return UInt32(Int32.max)
    }

    /// Reads TTL and class, which are optional and come in either order, and the type.
    private mutating func readTTLClassAndType() throws(ZoneFileError) -> (ttl: UInt32?, type: RecordType) {
        var (ttl, sawClass): (UInt32?, Bool) = (nil, false)
        while true {
            guard !reader.isAtEnd else { throw reader.error("the record has no type; add one, like A") }
            let word = reader.word
            if ttl == nil, let first = word.first, FieldReader.isDigit(first) {
                ttl = try readTTL("the TTL")
            } else if let type = RecordType(ascii: word) {
                guard !type.isMeta else { throw reader.error("\(type) is not a type of data; remove the record") }
                reader.skip()
                return (ttl, type)
            } else if !sawClass, let found = RecordClass(ascii: word) {
                guard found == .in else { throw reader.error("only class IN is served; remove the record") }
                sawClass = true
                reader.skip()
            } else {
                throw reader.error(
                    "unknown record type \(reader.shownWord); correct it, or write TYPE and its number with RDATA as "
                        + "\\# length hex")
            }
        }
    }
}
