import CLinux
import Glibc

/// The neighbours that the kernel is asking for, for senders that must not fill their buffers with replies to them
/// (`linux_neighbours.h`).
final class Neighbours: Sendable {
    // The functions on it may be called on any thread at once: they use atomics and system calls. It is closed by
    // `deinit`, when no thread has a reference any more.
    nonisolated(unsafe) let handle: OpaquePointer

    /// Of the calling thread's network namespace; `nil` when the system gives no memory or descriptors.
    init?() {
        guard let opened = nl_neighbours_open() else { return nil }
        handle = opened
    }

    deinit { nl_neighbours_close(handle) }

    /// Reads the kernel's tables on request until `end`. Blocks its thread.
    func watch() { nl_neighbours_watch(handle) }

    func end() { nl_neighbours_end(handle) }
}
