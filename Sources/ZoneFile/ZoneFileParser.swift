public import DNSWire

/// Reads master files (RFC 1035, section 5; RFC 2308, section 4, for $TTL; RFC 3597, section 5, for unknown types).
///
/// An error ends its entry and not the file: all errors are reported at once.
public struct ZoneFileParser {
    /// Reads the syntax only.
    public static func parse(
        text: [UInt8], file: String, origin: DomainName, source: any ZoneFileSource = NoIncludedFiles()
    ) -> ZoneFileContents {
        let zone = ZoneFileText(name: file, identity: file, text: text)
        return parse(zone, origin: origin, source: source)
    }

    /// Reads the syntax only.
    public static func parse(text: String, file: String, origin: DomainName) -> ZoneFileContents {
        parse(text: Array(text.utf8), file: file, origin: origin)
    }

    /// Reads the syntax only.
    public static func parse(
        _ zone: ZoneFileText, origin: DomainName, source: any ZoneFileSource
    ) -> ZoneFileContents {
        var parser = ZoneFileParser(zone, origin: origin, source: source)
        parser.readAll()
        parser.contents.sortFindings()
        return parser.contents
    }

    /// Reads a file that is to be the whole zone `apex`, and checks it as `ZoneFileContents.check` does.
    public static func parseZone(
        text: [UInt8], file: String, apex: DomainName, source: any ZoneFileSource = NoIncludedFiles()
    ) -> ZoneFileContents {
        parseZone(ZoneFileText(name: file, identity: file, text: text), apex: apex, source: source)
    }

    /// Reads a file that is to be the whole zone `apex`, and checks it as `ZoneFileContents.check` does.
    public static func parseZone(
        _ zone: ZoneFileText, apex: DomainName, source: any ZoneFileSource
    ) -> ZoneFileContents {
        var contents = parse(zone, origin: apex, source: source)
        contents.check(apex: apex)
        return contents
    }

    var reader: FieldReader
    /// The place of the current owner in the records.
    var owner: Range<Int>?
    /// Set by $TTL: for records that have no TTL of their own.
    var defaultTTL: UInt32?
    /// The last TTL that a record stated: used where there was no $TTL.
    var lastTTL: UInt32?
    var contents: ZoneFileContents
    let source: any ZoneFileSource
    /// The files being read, each included by the one before.
    var identities: [String]
    /// Records that $GENERATE lines have asked for, in all files so far.
    var generated = 0
    /// Bytes of their text.
    var generatedBytes = 0
    /// The place of the file being read among the names of files.
    var file = 0

    private init(_ zone: ZoneFileText, origin: DomainName, source: any ZoneFileSource) {
        reader = FieldReader(text: zone.text, file: zone.name, origin: origin)
        contents = ZoneFileContents(file: zone.name)
        identities = [zone.identity]
        self.source = source
    }

    mutating func readAll() {
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
        if !reader.startsWithBlank, !reader.nextIsQuoted, reader.text[reader.tokens[0].start] == UInt8(ascii: "$") {
            try readDirective()
        } else {
            try readRecord()
        }
    }

    private mutating func readDirective() throws(ZoneFileError) {
        if reader.nextIs("$ORIGIN") {
            reader.skip()
            reader.origin = try readName("the new origin")
            try reader.end()
        } else if reader.nextIs("$TTL") {
            reader.skip()
            defaultTTL = try readTTL("the default TTL")
            try reader.end()
        } else if reader.nextIs("$INCLUDE") {
            reader.skip()
            try include()
        } else if reader.nextIs("$GENERATE") {
            reader.skip()
            try generate()
        } else {
            throw reader.error("unknown directive; $ORIGIN, $TTL, $INCLUDE and $GENERATE are known")
        }
    }

    mutating func readName(_ what: String) throws(ZoneFileError) -> DomainName {
        reader.output.removeAll(keepingCapacity: true)
        try reader.name(what)
        return DomainName(wire: reader.output) ?? .root
    }
}
