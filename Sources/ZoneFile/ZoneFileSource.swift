/// The text of a file that a zone file includes.
public struct ZoneFileText: Sendable {
    /// The file's name in messages; names in the file's own $INCLUDE are relative to its folder.
    public var name: String
    /// Equal for two names of one file: what finds loops.
    public var identity: String
    public var text: [UInt8]

    public init(name: String, identity: String, text: [UInt8]) {
        self.name = name
        self.identity = identity
        self.text = text
    }
}

/// Why a file could not be included, with the remedy.
public struct ZoneFileSourceError: Error, Hashable, Sendable {
    public var message: String

    public init(message: String) { self.message = message }
}

/// Where the files of $INCLUDE come from: this module reads none itself.
public protocol ZoneFileSource {
    /// The file that `path` names in the file `includer` (a `ZoneFileText.name`, or the zone file's own).
    func read(_ path: String, includedBy includer: String) throws(ZoneFileSourceError) -> ZoneFileText
}

/// Has no files.
public struct NoIncludedFiles: ZoneFileSource {
    public init() {}

    public func read(_ path: String, includedBy includer: String) throws(ZoneFileSourceError) -> ZoneFileText {
        throw ZoneFileSourceError(message: "no file can be included here; put its records in its place")
    }
}
