import LinuxSupport

/// A file read completely, with the stamp of its content.
struct FileContents {
    let stamp: FileStamp
    let bytes: [UInt8]

    /// - Parameter limit: the maximum size in bytes.
    init(path: String, limit: Int = .max) throws(FileProblem) {
        let file = try RegularFile(path: path)
        // Taken before reading: a write during the read then makes the stamp stale.
        stamp = FileStamp(path, file.status)
        bytes = try file.read(limit: limit)
    }
}
