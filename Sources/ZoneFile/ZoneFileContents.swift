/// The contents of a zone file, as far as they could be read.
public struct ZoneFileContents: Sendable {
    public internal(set) var records: RecordList
    /// Ordered by file and line. If there is any, the zone must not be served.
    public internal(set) var errors: [ZoneFileError] = []
    /// Contents that are served, but are probably a mistake.
    public internal(set) var warnings: [ZoneFileError] = []

    init(file: String) { records = RecordList(file: file) }

    /// The zone file's name, as given.
    public var file: String { records.files[0] }
    /// The names of all files read; the zone file comes first.
    public var files: [String] { records.files }
}
