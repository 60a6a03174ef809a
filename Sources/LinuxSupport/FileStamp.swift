public import Glibc

/// Detects a change of a file's content without reading it.
public struct FileStamp: Sendable, Hashable {
    public let path: String
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    /// Nanoseconds since 1970.
    private let modified: Int64
    /// The same for the last change of the inode. It reveals a file that was written in place and had its old time
    /// restored.
    private let changed: Int64
    /// Whether a write after the stamp was taken would change it. File system clocks advance in steps, so a write in
    /// the same step as the stamp leaves the times unchanged.
    private let isSettled: Bool

    /// The file as it is now, links followed. Nil where there is none.
    public init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(path, status)
    }

    /// The file at `path`, whose state was taken when it was opened.
    public init(_ path: String, _ status: stat) {
        self.path = path
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        // Local steps are at most 10 ms. Some network file systems count whole seconds.
        isSettled = Self.nanoseconds(now) &- max(modified, changed) > 1_000_000_000
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        // Years beyond 2262 wrap around. Stamps are only compared for equality.
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// Whether the file is the one that this stamp was taken of, with certainly the same content.
    public var isCurrent: Bool {
        guard isSettled, let now = FileStamp(path) else { return false }
        return isSame(as: now)
    }

    /// Whether the file looks as it did when this stamp was taken.
    public var isUpToDate: Bool { FileStamp(path).map(isSame) ?? false }

    /// Whether both were taken of the same content, as far as is known.
    public func isSame(as other: FileStamp) -> Bool {
        device == other.device && inode == other.inode && size == other.size && modified == other.modified
            && changed == other.changed
    }
}
