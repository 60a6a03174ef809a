import Glibc
public import SystemPackage

/// Why a file cannot be read completely.
public enum FileProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// An error of the system.
    case system(Errno)
    /// The kind of file it is instead, with its article.
    case notRegular(String)
    /// It exceeds the limit in bytes.
    case tooLarge(limit: Int)

    /// The error of the calling thread's last C library call, which has set `errno`.
    public static var last: FileProblem { .system(Errno(rawValue: errno)) }

    init(mode: mode_t) {
        self =
            switch mode & S_IFMT {
            case S_IFDIR: .system(.isDirectory)
            case S_IFIFO: .notRegular("a pipe")
            case S_IFSOCK: .notRegular("a socket")
            default: .notRegular("a device")
            }
    }

    /// The reason.
    public var description: String {
        switch self {
        case .system(let errno): "\(errno)"
        case .notRegular(let kind): "it is \(kind), which is not a regular file"
        case .tooLarge(let limit): "it has more than \(limit) bytes"
        }
    }

    /// What to do about it.
    public var remedy: String {
        switch self {
        case .system: "check the path and its permissions"
        case .notRegular: "name a regular file"
        case .tooLarge: "split or shorten it"
        }
    }
}
