import Glibc

/// The kernel's numbers of network namespaces.
public enum NetworkNamespaceNumber {
    /// The number of the namespace at `path`. Nil when there is none.
    public static func at(_ path: String) -> UInt32? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return UInt32(truncatingIfNeeded: status.st_ino)
    }

    /// The number of this process's namespace.
    public static var own: UInt32? { at("/proc/self/ns/net") }
}
