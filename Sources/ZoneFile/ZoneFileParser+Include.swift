import DNSWire
import VisibleText

extension ZoneFileParser {
    /// Maximum nesting of included files, not counting the zone file.
    static let maximumDepth = 10
    /// Maximum number of files in a zone. It bounds files that include one another repeatedly.
    static let maximumFiles = 10_000

    /// Reads the file of `$INCLUDE file [origin]` in place of the directive.
    ///
    /// The included file starts with the current owner and TTLs, and with the current origin or its own. It changes
    /// none of them in this file (RFC 1035, section 5.1).
    mutating func include() throws(ZoneFileError) {
        let place = reader.tokens[min(reader.index, reader.tokens.count - 1)]
        reader.output.removeAll(keepingCapacity: true)
        try reader.bytes("the file to include", upTo: 4096)
        let path = String(decoding: reader.output, as: UTF8.self)
        let origin = reader.isAtEnd ? reader.origin : try readName("the file's origin")
        try reader.end()
        guard identities.count <= Self.maximumDepth, contents.files.count < Self.maximumFiles else {
            throw reader.error(
                "files are included more than \(Self.maximumDepth) deep, or more than \(Self.maximumFiles) of them; put the "
                    + "records in one file", at: place)
        }
        let included: ZoneFileText
        do throws(ZoneFileSourceError) { included = try source.read(path, includedBy: reader.file) } catch {
            throw reader.error("cannot include \(VisibleText.cut(path, after: 255)): \(error.message)", at: place)
        }
        guard !identities.contains(included.identity) else {
            throw reader.error(
                "\(VisibleText.cut(path, after: 255)) includes itself, here or by way of others; remove this line",
                at: place)
        }
        read(included, origin: origin)
    }

    private mutating func read(_ included: ZoneFileText, origin: DomainName) {
        let saved = (reader: reader, owner: owner, defaultTTL: defaultTTL, lastTTL: lastTTL, file: file)
        file = contents.records.files.count
        contents.records.files.append(included.name)
        identities.append(included.identity)
        reader = FieldReader(text: included.text, file: included.name, origin: origin)
        readAll()
        identities.removeLast()
        (reader, owner, defaultTTL, lastTTL, file) = saved
    }
}
