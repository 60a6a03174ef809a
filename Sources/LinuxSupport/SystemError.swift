import Glibc
public import SystemPackage

/// A system call that failed: which one, why, and what else is known about it.
///
/// As text: `bpf_object__load: Permission denied (invalid access to packet, off=0 size=8 …)`.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failed call, with what it was about where that matters: `bpf_obj_get /sys/fs/bpf/nearcast/link`.
    public let call: String
    public let errno: Errno
    /// `errno` in words. By default those of strerror(3), which is safe on any thread.
    public let reason: String
    /// What the called library printed about it.
    public let detail: String?

    /// - Parameter reason: where a library has numbers of its own, its words for them.
    public init(call: String, errno: Errno, reason: String? = nil, detail: String? = nil) {
        self.call = call
        self.errno = errno
        self.reason = reason ?? "\(errno)"
        self.detail = detail
    }

    /// The failure of the calling thread's last C library call, which has set `errno`.
    public static func last(_ call: @autoclosure () -> String) -> SystemError {
        // Before anything else can change it.
        let code = Glibc.errno
        return SystemError(call: call(), errno: Errno(rawValue: code))
    }

    public var description: String {
        let text = "\(call): \(reason)"
        return detail.map { "\(text) (\($0))" } ?? text
    }
}

/// Runs a call of the C library, which returns a negative value and sets `errno` when it fails.
@discardableResult
public func callSettingErrno<Value: SignedInteger>(
    _ call: @autoclosure () -> String, _ body: () -> Value
) throws(SystemError) -> Value {
    let result = body()
    guard result >= 0 else { throw .last(call()) }
    return result
}

/// Runs a call that returns `-errno` when it fails, as the functions of `CLinux` do.
@discardableResult
public func callReturningErrno<Value: SignedInteger>(
    _ call: @autoclosure () -> String, _ body: () -> Value
) throws(SystemError) -> Value {
    let result = body()
    guard result >= 0 else { throw SystemError(call: call(), errno: Errno(rawValue: CInt(-result))) }
    return result
}
