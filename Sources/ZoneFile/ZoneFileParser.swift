public import DNSWire

/// A record and the place it was written.
public struct LocatedRecord: Hashable, Sendable {
    public var record: ResourceRecord
    /// Of the record's first word, from 1.
    public var line: Int
    public var column: Int
}

/// What a zone file says, as far as it could be read.
public struct ZoneFileContents: Sendable {
    public var file: String
    public var records: [LocatedRecord] = []
    /// In the order of lines. The zone must not be served when there is one.
    public var errors: [ZoneFileError] = []
    /// What is served, but hardly meant.
    public var warnings: [ZoneFileError] = []
}

/// Reads master files (RFC 1035, section 5; RFC 2308, section 4, for $TTL; RFC 3597, section 5, for unknown types).
///
/// An error ends its entry and not the file: all errors are reported at once. $INCLUDE and $GENERATE are not read.
public struct ZoneFileParser {
    /// Reads the syntax only.
    public static func parse(text: [UInt8], file: String, origin: DomainName) -> ZoneFileContents {
        var parser = ZoneFileParser(FieldReader(text: text, file: file, origin: origin))
        parser.readAll()
        return parser.contents
    }

    /// Reads the syntax only.
    public static func parse(text: String, file: String, origin: DomainName) -> ZoneFileContents {
        parse(text: Array(text.utf8), file: file, origin: origin)
    }

    /// Reads a file that is to be the whole zone `apex`, and checks it as `ZoneFileContents.check` does.
    public static func parseZone(text: [UInt8], file: String, apex: DomainName) -> ZoneFileContents {
        var contents = parse(text: text, file: file, origin: apex)
        contents.check(apex: apex)
        return contents
    }

    private var reader: FieldReader
    private var owner: DomainName?
    /// Set by $TTL: for records that have no TTL of their own.
    private var defaultTTL: UInt32?
    /// The last TTL that a record stated: used where there was no $TTL.
    private var lastTTL: UInt32?
    private var contents: ZoneFileContents

    private init(_ reader: FieldReader) {
        self.reader = reader
        contents = ZoneFileContents(file: reader.file)
    }

    private mutating func readAll() {
        while true {
            do throws(ZoneFileError) {
                guard try reader.nextEntry() else { return }
                try readEntry()
            } catch {
                contents.errors.append(error)
            }
        }
    }

    private mutating func readEntry() throws(ZoneFileError) {
        if !reader.startsWithBlank, !reader.nextIsQuoted, reader.word.first == UInt8(ascii: "$") {
            try readDirective()
        } else {
            try readRecord()
        }
    }

    private mutating func readDirective() throws(ZoneFileError) {
        if reader.nextIs("$ORIGIN") {
            reader.skip()
            reader.origin = try readName("the new origin")
        } else if reader.nextIs("$TTL") {
            reader.skip()
            defaultTTL = try reader.time("the default TTL")
        } else if reader.nextIs("$INCLUDE") {
            reader.skip()
            throw reader.error("$INCLUDE is not supported; put that file's records here")
        } else if reader.nextIs("$GENERATE") {
            reader.skip()
            throw reader.error("$GENERATE is not supported; write the records out")
        } else {
            throw reader.error("unknown directive; $ORIGIN and $TTL are known")
        }
        try reader.end()
    }

    private mutating func readName(_ what: String) throws(ZoneFileError) -> DomainName {
        reader.output.removeAll(keepingCapacity: true)
        try reader.name(what)
        return DomainName(wire: reader.output) ?? .root
    }

    private mutating func readRecord() throws(ZoneFileError) {
        let (line, column) = (reader.line, reader.column)
        if !reader.startsWithBlank { owner = try readName("the owner") }
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
        contents.records.append(
            LocatedRecord(
                record: ResourceRecord(owner: owner, type: type, ttl: ttl, data: reader.output), line: line,
                column: column))
    }

    /// TTL and class are both optional and come in either order, before the type.
    private mutating func readTTLClassAndType() throws(ZoneFileError) -> (ttl: UInt32?, type: RecordType) {
        var (ttl, sawClass): (UInt32?, Bool) = (nil, false)
        while true {
            guard !reader.isAtEnd else { throw reader.error("the record has no type; add one, like A") }
            let word = reader.word
            if ttl == nil, let first = word.first, FieldReader.isDigit(first) {
                ttl = try reader.time("the TTL")
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
                    "unknown record type \"\(reader.wordText)\"; correct it, or write TYPE and its number with RDATA as "
                        + "\\# length hex")
            }
        }
    }
}
