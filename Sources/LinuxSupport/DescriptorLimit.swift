import CLinux
import Glibc

/// The process's limit of file descriptors (RLIMIT_NOFILE).
public enum DescriptorLimit {
    /// `nil` when the system does not report it.
    public static var current: Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the limit as far as the process may.
    ///
    /// - Returns: the new limit.
    /// - Throws: the system's error.
    public static func raise() throws(SystemError) -> Int {
        Int(try callReturningErrno("setrlimit RLIMIT_NOFILE") { linux_raise_descriptor_limit() })
    }
}
