import CLinux
public import Glibc
import SystemPackage

/// A regular file, open for reading. Pipes and devices are refused: reading them whole would block or never end.
public struct RegularFile: ~Copyable {
    /// Open as long as the value lives.
    public let descriptor: CInt
    /// The file's state when it was opened.
    public let status: stat

    /// Opens the file at `path`, following links.
    ///
    /// - Throws: why it cannot be opened, or that it is not a regular file.
    public init(path: String) throws(FileProblem) {
        // Opening a pipe must not wait for its writer. Opening a terminal must not make it the controlling terminal.
        let opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard opened >= 0 else { throw .last }
        var state = stat()
        guard fstat(opened, &state) == 0 else {
            let problem = FileProblem.last
            close(opened)
            throw problem
        }
        guard state.st_mode & S_IFMT == S_IFREG else {
            close(opened)
            throw FileProblem(mode: state.st_mode)
        }
        descriptor = opened
        status = state
    }

    deinit { close(descriptor) }

    /// All bytes of the file.
    ///
    /// - Parameter limit: the maximum size in bytes.
    /// - Throws: `tooLarge`, or why it cannot be read.
    public borrowing func read(limit: Int = .max) throws(FileProblem) -> [UInt8] {
        guard status.st_size <= limit else { throw .tooLarge(limit: limit) }
        var bytes: [UInt8] = []
        let chunk = 1 << 20
        // The size is only a hint, since the file may grow meanwhile. The bytes read count.
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
            if count < 0, code != EINTR { throw .system(Errno(rawValue: code)) }
            guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
        }
    }

    /// Reads the file at `path` completely.
    ///
    /// - Parameter limit: the maximum size in bytes.
    public static func contents(of path: String, limit: Int = .max) throws(FileProblem) -> [UInt8] {
        try RegularFile(path: path).read(limit: limit)
    }

    /// Copies the file into memory that no other process can change or truncate.
    ///
    /// - Parameter limit: the maximum size in bytes.
    /// - Returns: a descriptor of the copy. The caller closes it.
    public borrowing func copyIntoMemory(limit: Int = .max) throws(FileProblem) -> CInt {
        guard status.st_size <= limit else { throw .tooLarge(limit: limit) }
        let copy = linux_memory_copy(descriptor)
        guard copy >= 0 else { throw .system(Errno(rawValue: -copy)) }
        return copy
    }
}
