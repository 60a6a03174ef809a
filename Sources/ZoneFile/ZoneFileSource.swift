/// The text of a file that a zone file includes.
public struct ZoneFileText: Sendable {
    /// The file's name in messages. Names in its $INCLUDE directives are relative to its folder.
    public var name: String
    /// Equal for two names of the same file, to detect loops.
    public var identity: String
    public var text: [UInt8]

    public init(name: String, identity: String, text: [UInt8]) {
        self.name = name
        self.identity = identity
        self.text = text
    }
}

/// Why a file could not be included, and how to correct it.
public struct ZoneFileSourceError: Error, Hashable, Sendable {
    public var message: String

    public init(message: String) { self.message = message }
}

/// Provides the files of $INCLUDE: this module reads no files itself.
public protocol ZoneFileSource {
    /// The file that `path` refers to in the file `includer` (a `ZoneFileText.name`, or the zone file's own).
    func read(_ path: String, includedBy includer: String) throws(ZoneFileSourceError) -> ZoneFileText
}

/// Provides no files.
public struct NoIncludedFiles: ZoneFileSource {
    public init() {}

    public func read(_ path: String, includedBy includer: String) throws(ZoneFileSourceError) -> ZoneFileText {
        throw ZoneFileSourceError(message: "no file can be included here; put its records in its place")
    }
}
