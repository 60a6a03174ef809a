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
        var parser = ZoneFileParser(tokenizer: ZoneFileTokenizer(text), file: file, origin: origin)
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

    private var tokenizer: ZoneFileTokenizer
    private var origin: DomainName
    private var owner: DomainName?
    /// Set by $TTL: for records that have no TTL of their own.
    private var defaultTTL: UInt32?
    /// The last TTL that a record stated: used where there was no $TTL.
    private var lastTTL: UInt32?
    private var contents: ZoneFileContents

    private init(tokenizer: ZoneFileTokenizer, file: String, origin: DomainName) {
        self.tokenizer = tokenizer
        self.origin = origin
        contents = ZoneFileContents(file: file)
    }

    private mutating func readAll() {
        while true {
            do throws(ZoneFileTokenizer.Fault) {
                guard let entry = try tokenizer.next() else { return }
                do throws(ZoneFileError) { try read(entry) } catch { contents.errors.append(error) }
            } catch {
                contents.errors.append(
                    ZoneFileError(
                        file: contents.file, line: error.line, column: error.column, message: error.message))
            }
        }
    }

    private mutating func read(_ entry: ZoneFileTokenizer.Entry) throws(ZoneFileError) {
        var reader = FieldReader(text: tokenizer.text, tokens: entry.tokens, file: contents.file, origin: origin)
        if !entry.startsWithBlank, reader.peek?.first == "$" {
            try readDirective(&reader)
        } else {
            try readRecord(&reader, startsWithBlank: entry.startsWithBlank)
        }
    }

    private mutating func readDirective(_ reader: inout FieldReader) throws(ZoneFileError) {
        switch reader.takeWord()?.uppercased() {
        case "$ORIGIN": origin = try reader.name("the new origin")
        case "$TTL": defaultTTL = try reader.time("the default TTL")
        case "$INCLUDE": throw reader.error("$INCLUDE is not supported; put that file's records here")
        case "$GENERATE": throw reader.error("$GENERATE is not supported; write the records out")
        default: throw reader.error("unknown directive; $ORIGIN and $TTL are known")
        }
        try reader.end()
    }

    private mutating func readRecord(_ reader: inout FieldReader, startsWithBlank: Bool) throws(ZoneFileError) {
        let (line, column) = (reader.line, reader.column)
        if !startsWithBlank { owner = try reader.name("the owner") }
        guard let owner else {
            throw reader.error(
                "the first record begins with a blank, so it has no owner; begin it with a name or \"@\"")
        }
        let (stated, type) = try readTTLClassAndType(&reader)
        let data = try reader.data(of: type)
        try reader.end()
        guard let ttl = stated ?? defaultTTL ?? lastTTL else {
            throw reader.error("the record has no TTL; begin the file with \"$TTL 1h\", or give the record one")
        }
        lastTTL = stated ?? lastTTL
        contents.records.append(
            LocatedRecord(
                record: ResourceRecord(owner: owner, type: type, ttl: ttl, data: data), line: line, column: column))
    }

    /// TTL and class are both optional and come in either order, before the type.
    private func readTTLClassAndType(
        _ reader: inout FieldReader
    ) throws(ZoneFileError) -> (ttl: UInt32?, type: RecordType) {
        var (ttl, sawClass): (UInt32?, Bool) = (nil, false)
        while true {
            guard let word = reader.peek else { throw reader.error("the record has no type; add one, like A") }
            if ttl == nil, word.utf8.first.map({ (0x30...0x39).contains($0) }) == true {
                ttl = try reader.time("the TTL")
            } else if !sawClass, let found = RecordClass(word) {
                guard found == .in else { throw reader.error("only class IN is served; remove the record") }
                sawClass = true
                reader.skip()
            } else if let type = RecordType(word) {
                guard !type.isMeta else { throw reader.error("\(type) is not a type of data; remove the record") }
                reader.skip()
                return (ttl, type)
            } else {
                throw reader.error(
                    "unknown record type \"\(word)\"; correct it, or write TYPE and its number with RDATA as \\# length hex"
                )
            }
        }
    }
}
