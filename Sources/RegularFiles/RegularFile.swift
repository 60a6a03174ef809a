public import Glibc

/// A regular file that is open for reading: where whole files are read, pipes and devices would block or never end.
public struct RegularFile: ~Copyable {
    /// Stays open as long as the value lives.
    public let descriptor: CInt
    /// As the file was when it was opened.
    public let status: stat

    /// Opens the file at `path`, links followed.
    ///
    /// - Throws: why it cannot be, or that it is no regular file.
    public init(path: String) throws(FileProblem) {
        // Opening a pipe must not wait for its writer, and opening a terminal must not make it the process's own.
        let opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard opened >= 0 else { throw .system(errno) }
        var state = stat()
        guard fstat(opened, &state) == 0 else {
            let code = errno
            close(opened)
            throw .system(code)
        }
        guard state.st_mode & S_IFMT == S_IFREG else {
            close(opened)
            throw FileProblem(mode: state.st_mode)
        }
        descriptor = opened
        status = state
    }

    deinit { close(descriptor) }

    /// Every byte of the file.
    ///
    /// - Parameter limit: bytes it may have.
    /// - Throws: `tooLarge`, or why it cannot be read.
    public borrowing func read(limit: Int = .max) throws(FileProblem) -> [UInt8] {
        guard status.st_size <= limit else { throw .tooLarge(limit: limit) }
        var bytes: [UInt8] = []
        let chunk = 1 << 20
        // What arrives is counted, and the size is only a hint: the file may grow meanwhile.
        let expected = min(Int(status.st_size), limit)
        bytes.reserveCapacity(expected + 1)
        while true {
            let start = bytes.count
            let room = min(chunk, max(4096, expected - start + 1))
            bytes.append(contentsOf: repeatElement(0, count: room))
            let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + start, room) }
            let code = errno
            bytes.removeLast(room - max(count, 0))
            if count == 0 { return bytes }
            if count < 0, code != EINTR { throw .system(code) }
            guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
        }
    }

    /// Reads the file at `path` whole.
    ///
    /// - Parameter limit: bytes it may have.
    public static func contents(of path: String, limit: Int = .max) throws(FileProblem) -> [UInt8] {
        try RegularFile(path: path).read(limit: limit)
    }
}

/// Why a file cannot be read whole.
public enum FileProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system's `errno`.
    case system(CInt)
    /// What it is instead, with its article.
    case notRegular(String)
    /// It has more bytes than it may.
    case tooLarge(limit: Int)

    init(mode: mode_t) {
        self =
            switch mode & S_IFMT {
            case S_IFDIR: .system(EISDIR)
            case S_IFIFO: .notRegular("a pipe")
            case S_IFSOCK: .notRegular("a socket")
            default: .notRegular("a device")
            }
    }

    /// The reason.
    public var description: String {
        switch self {
        case .system(let code): String(cString: strerror(code))
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
