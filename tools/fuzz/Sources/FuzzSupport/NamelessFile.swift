import Glibc

/// A file without a name, for readers that take a path.
public struct NamelessFile: Sendable {
    private let descriptor: CInt

    public init() {
        var name = Array("/tmp/fuzz-XXXXXX".utf8CString)
        descriptor = mkstemp(&name)
        require(descriptor >= 0 && unlink(name) == 0, "no file in /tmp: \(errno)")
    }

    public var path: String { "/proc/self/fd/\(descriptor)" }

    /// From now on the file has these bytes.
    public func hold(_ bytes: [UInt8]) {
        require(ftruncate(descriptor, 0) == 0, "the file cannot be emptied: \(errno)")
        require(
            bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) } == bytes.count,
            "the file cannot be written: \(errno)")
    }
}
