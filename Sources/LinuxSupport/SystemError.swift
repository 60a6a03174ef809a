import Glibc
public import SystemPackage

/// A failed system call: its name, the reason, and any further details.
///
/// As text: `bpf_object__load: Permission denied (invalid access to packet, off=0 size=8 …)`.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failed call, with its subject where that matters: `bpf_obj_get /sys/fs/bpf/nearcast/link`.
    public let call: String
    public let errno: Errno
    /// `errno` in words. By default those of strerror(3), which is safe on any thread.
    public let reason: String
    /// What the called library printed about it.
    public let detail: String?

    /// - Parameter reason: a library's own description, if it has its own error numbers.
    public init(call: String, errno: Errno, reason: String? = nil, detail: String? = nil) {
        self.call = call
        self.errno = errno
        self.reason = reason ?? "\(errno)"
        self.detail = detail
    }

    /// The error of the calling thread's last C library call, which has set `errno`.
    public static func last(_ call: @autoclosure () -> String) -> SystemError {
        // First of all, before another call changes it.
        let code = Glibc.errno
        return SystemError(call: call(), errno: Errno(rawValue: code))
    }

    public var description: String {
        let text = "\(call): \(reason)"
        return detail.map { "\(text) (\($0))" } ?? text
    }
}

/// Runs a C library call that returns a negative value and sets `errno` on failure.
@discardableResult
public func callSettingErrno<Value: SignedInteger>(
    _ call: @autoclosure () -> String, _ body: () -> Value
) throws(SystemError) -> Value {
    let result = body()
    guard result >= 0 else { throw .last(call()) }
    return result
}

/// Runs a call that returns `-errno` on failure, as the functions of `CLinux` do.
@discardableResult
public func callReturningErrno<Value: SignedInteger>(
    _ call: @autoclosure () -> String, _ body: () -> Value
) throws(SystemError) -> Value {
    let result = body()
    guard result >= 0 else { throw SystemError(call: call(), errno: Errno(rawValue: CInt(-result))) }
    return result
}
