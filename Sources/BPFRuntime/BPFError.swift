import CLibBPF
import Glibc

/// A system or libbpf call that failed: which, why, and what the library or the verifier said about it.
///
/// As text: `bpf_object__load: Permission denied (invalid access to packet, off=0 size=8 …)`.
public struct BPFError: Error, Sendable, CustomStringConvertible {
    /// The failed call, with what it was about where that matters: `bpf_obj_get /sys/fs/bpf/nearcast/link`.
    public let call: String
    /// The reason as `errno` gives it, positive.
    public let errno: Int32
    /// The last lines of what libbpf printed meanwhile, the verifier's log among them.
    public let detail: String?

    public init(call: String, errno: Int32, detail: String? = nil) {
        self.call = call
        self.errno = errno
        self.detail = detail
    }

    /// libbpf knows the C library's numbers and, from 4000 on, its own.
    private static func reason(_ number: Int32) -> String {
        var text = [CChar](repeating: 0, count: 128)
        libbpf_strerror(number, &text, text.count)
        return text.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    public var description: String {
        let reason = "\(call): \(Self.reason(errno))"
        return detail.map { "\(reason) (\($0))" } ?? reason
    }
}

/// Zeroes options with their padding: libbpf refuses what is not zero behind the last field it knows, and Swift's `init()`
/// leaves padding as it was.
func clear<Options>(_ options: inout Options) {
    withUnsafeMutableBytes(of: &options) { bytes in
        guard let start = bytes.baseAddress else { return }
        memset(start, 0, bytes.count)
    }
}

/// Runs a call that gives a count or descriptor, and `-errno` (libbpf 1.x) on failure.
@discardableResult
func check(_ call: @autoclosure () -> String, _ body: () -> Int32) throws(BPFError) -> Int32 {
    let result = body()
    guard result >= 0 else { throw BPFError(call: call(), errno: -result) }
    return result
}

/// Runs a call of the C library: -1 and `errno` on failure.
@discardableResult
func checkErrno(_ call: @autoclosure () -> String, _ body: () -> Int32) throws(BPFError) -> Int32 {
    let result = body()
    guard result >= 0 else { throw BPFError(call: call(), errno: Glibc.errno) }
    return result
}

/// Runs a libbpf call that explains its failures on its log; the error carries the log's end.
@discardableResult
func checkLogged(_ call: @autoclosure () -> String, _ body: () -> Int32) throws(BPFError) -> Int32 {
    let (result, log) = LibraryLog.collect(body)
    guard result >= 0 else { throw BPFError(call: call(), errno: -result, detail: LibraryLog.tail(log)) }
    return result
}
