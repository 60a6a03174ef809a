import CLinux
import Glibc

/// Neighbours whose link address the kernel is still resolving. Senders must not fill their buffers with replies to
/// them (`linux_neighbours.h`).
final class Neighbours: Sendable {
    // Its functions may be called on any thread concurrently: they use atomics and system calls. `deinit` closes it,
    // when no thread holds a reference any more.
    nonisolated(unsafe) let handle: OpaquePointer

    /// For the network namespace of the calling thread. `nil` when memory or descriptors are short.
    init?() {
        guard let opened = nl_neighbours_open() else { return nil }
        handle = opened
    }

    deinit { nl_neighbours_close(handle) }

    /// Reads the kernel's tables on request until `end`. Blocks its thread.
    func watch() { nl_neighbours_watch(handle) }

    func end() { nl_neighbours_end(handle) }
}
