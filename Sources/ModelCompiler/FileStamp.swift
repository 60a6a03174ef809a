import Glibc
import LinuxSupport

/// What tells one content of a file from another without reading it.
public struct FileStamp: Sendable, Hashable {
    public let path: String
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    /// Nanoseconds since 1970.
    private let modified: Int64
    /// The same of the last change of the inode: a file written in place with its old time set again shows here.
    private let changed: Int64
    /// Whether a write after the stamp was taken would change it. A file system's clock advances in steps: what is
    /// written within the step in which the stamp was taken leaves the times as they were.
    private let isSettled: Bool

    /// The file as it is now, links followed; nil where there is none.
    public init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(path, status)
    }

    init(_ path: String, _ status: stat) {
        self.path = path
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        // Local steps are of at most 10 ms; network file systems know seconds only.
        isSettled = Self.nanoseconds(now) &- max(modified, changed) > 1_000_000_000
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        // Years beyond 2262 wrap around: stamps are compared for being the same.
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// Whether the file is the one that was read when this stamp was taken, and has the same content for certain.
    public var isCurrent: Bool {
        guard isSettled, let now = FileStamp(path) else { return false }
        return isSame(as: now)
    }

    /// Whether the file looks as when this stamp was taken.
    public var isUpToDate: Bool { FileStamp(path).map(isSame) ?? false }

    /// Whether both were taken of the same content, as far as can be told.
    public func isSame(as other: FileStamp) -> Bool {
        device == other.device && inode == other.inode && size == other.size && modified == other.modified
            && changed == other.changed
    }
}

/// A file read whole, with the stamp of what was read.
struct FileContents {
    let stamp: FileStamp
    let bytes: [UInt8]

    /// - Parameter limit: bytes in a file that is worth reading.
    init(path: String, limit: Int = .max) throws(FileProblem) {
        let file = try RegularFile(path: path)
        // Of before the reading: what is written meanwhile makes the file another one than the stamp's.
        stamp = FileStamp(path, file.status)
        bytes = try file.read(limit: limit)
    }
}
