import Glibc

/// The kernel's numbers of network namespaces.
public enum NetworkNamespaceNumber {
    /// Of the namespace open at `path`; nil when there is none.
    public static func at(_ path: String) -> UInt32? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return UInt32(truncatingIfNeeded: status.st_ino)
    }

    /// Of this process.
    public static var own: UInt32? { at("/proc/self/ns/net") }
}
