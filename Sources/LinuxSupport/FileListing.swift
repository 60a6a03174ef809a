import Glibc

/// The files that a pattern named at one moment, such as `/etc/nearcast/conf.d/*.yaml`.
public struct FileListing: Sendable {
    /// A path whose last component has wildcards (glob(7)).
    public let pattern: String
    /// The paths of the files, in the order of their bytes.
    public let paths: [String]

    /// What the pattern names now. A folder that cannot be read has no files.
    public init(_ pattern: String) {
        self.pattern = pattern
        let slash = pattern.lastIndex(of: "/")
        let folder = slash.map { String(pattern[...$0]) } ?? ""
        let name = slash.map { String(pattern[pattern.index(after: $0)...]) } ?? pattern
        paths = Self.names(in: folder.isEmpty ? "." : folder)
            .filter { Self.matches($0, name) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .map { folder + $0 }
    }

    /// Whether the pattern still names the same files.
    public var isUpToDate: Bool { FileListing(pattern).paths == paths }

    /// Whether a part of a path has wildcards.
    public static func isPattern(_ text: some StringProtocol) -> Bool { text.contains { "*?[".contains($0) } }

    /// Whether a name fits a pattern without slashes. A wildcard does not stand for a leading dot.
    public static func matches(_ name: String, _ pattern: String) -> Bool { fnmatch(pattern, name, FNM_PERIOD) == 0 }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            names.append(name)
        }
        return names
    }
}
