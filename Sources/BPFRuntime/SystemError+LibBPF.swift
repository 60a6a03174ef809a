import CLibBPF
import Glibc
import LinuxSupport
import SystemPackage

extension SystemError {
    /// A libbpf call that failed. libbpf uses the C library's error numbers and, from 4000 on, its own.
    ///
    /// - Parameters:
    ///   - code: positive.
    ///   - detail: the last lines that libbpf printed meanwhile, including the verifier's log.
    init(libbpf call: String, _ code: CInt, detail: String? = nil) {
        var text = [CChar](repeating: 0, count: 128)
        libbpf_strerror(code, &text, text.count)
        let reason = text.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        self.init(call: call, errno: Errno(rawValue: code), reason: reason, detail: detail)
    }
}

/// Zeroes options including padding: libbpf rejects non-zero bytes after the last field it knows, and Swift's `init()`
/// leaves padding undefined.
func clear<Options>(_ options: inout Options) {
    withUnsafeMutableBytes(of: &options) { bytes in
        guard let start = bytes.baseAddress else { return }
        memset(start, 0, bytes.count)
    }
}

/// Runs a libbpf call (1.x) that returns a count or descriptor, or `-errno` on failure.
@discardableResult
func check(_ call: @autoclosure () -> String, _ body: () -> Int32) throws(SystemError) -> Int32 {
    let result = body()
    guard result >= 0 else { throw SystemError(libbpf: call(), -result) }
    return result
}

/// Runs a libbpf call that logs the reason of a failure. The error carries the end of the log.
@discardableResult
func checkLogged(_ call: @autoclosure () -> String, _ body: () -> Int32) throws(SystemError) -> Int32 {
    let (result, log) = LibraryLog.collect(body)
    guard result >= 0 else { throw SystemError(libbpf: call(), -result, detail: LibraryLog.tail(log)) }
    return result
}
