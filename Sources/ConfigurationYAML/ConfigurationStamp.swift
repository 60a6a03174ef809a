import LinuxSupport

/// Detects a change of a configuration without reading it: of its files, and of what its patterns name.
public struct ConfigurationStamp: Sendable {
    /// Each taken before the file was read.
    private var files: [FileStamp] = []
    /// Files that did not exist.
    private var missing: [String] = []
    private var listings: [FileListing] = []

    init() {}

    mutating func add(_ stamp: FileStamp) { files.append(stamp) }

    mutating func add(missing path: String) { missing.append(path) }

    mutating func add(_ listing: FileListing) { listings.append(listing) }

    /// Whether the configuration is certainly still the one that was read.
    public var isCurrent: Bool { files.allSatisfy(\.isCurrent) && isSameElsewhere }

    /// Whether nothing suggests that the configuration has changed.
    public var isUpToDate: Bool { files.allSatisfy(\.isUpToDate) && isSameElsewhere }

    private var isSameElsewhere: Bool {
        missing.allSatisfy { FileStamp($0) == nil } && listings.allSatisfy(\.isUpToDate)
    }

    /// The absolute paths of the files, existing or not.
    public var paths: [String] { files.map(\.path) + missing }

    /// The absolute paths of the patterns, whose last component has wildcards.
    public var patterns: [String] { listings.map(\.pattern) }
}
