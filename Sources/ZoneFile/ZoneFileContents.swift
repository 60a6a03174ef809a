/// What a zone file says, as far as it could be read.
public struct ZoneFileContents: Sendable {
    public internal(set) var records: RecordList
    /// In the order of files and lines. The zone must not be served when there is one.
    public internal(set) var errors: [ZoneFileError] = []
    /// What is served, but hardly meant.
    public internal(set) var warnings: [ZoneFileError] = []

    init(file: String) { records = RecordList(file: file) }

    /// The zone file's name, as it was given.
    public var file: String { records.files[0] }
    /// The names of all files that were read, the zone file's own first.
    public var files: [String] { records.files }
}
