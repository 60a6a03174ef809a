import CLinux
import Glibc
import LinuxSupport

/// Runs `body` in the network namespace open at `path` (`/run/netns/lab`, `/proc/123/ns/net`) and returns its result.
///
/// It runs on a thread of its own that ends with it: a namespace belongs to a thread, and a pooled thread would carry
/// it to other work. Descriptors created inside, such as links and sockets, keep working outside. Blocks the caller.
public func inNetworkNamespace<T: Sendable>(_ path: String, _ body: @Sendable () throws -> T) throws -> T {
    let file = Descriptor(owning: try callSettingErrno("open \(path)") { open(path, O_RDONLY | O_CLOEXEC) })
    return try joinThread(named: "namespace") {
        try callReturningErrno("setns") { linux_enter_network_namespace(file.number) }
        return try body()
    }
}
