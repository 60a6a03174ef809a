public import Glibc

/// The address of a Unix socket (unix(7)).
public struct UnixSocketAddress: Sendable {
    /// Bytes that a path may have: one less than the field, because a zero byte ends it.
    public static let maximumPathBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    private var address = sockaddr_un()
    private let length: Int

    /// The socket's file. `nil` if the path is too long.
    public init?(path: String) {
        self.init(Array(path.utf8), end: 1)
    }

    /// A name in the abstract namespace, which has no file. `nil` if it is too long.
    public init?(abstractName name: some StringProtocol) {
        self.init([0] + Array(name.utf8), end: 0)
    }

    /// - Parameter end: zero bytes after the name that belong to the address.
    private init?(_ name: [UInt8], end: Int) {
        guard name.count <= Self.maximumPathBytes else { return nil }
        length = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path) + name.count + end
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    }

    /// Calls a function of the C library with the address and its length.
    public func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}
