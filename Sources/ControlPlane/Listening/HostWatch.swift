import CLinux
import Glibc
import LinuxSupport
import ServiceLifecycle
import Synchronization

/// Checks the attachments and the listen addresses whenever the kernel reports a change of an interface or address, and
/// once a second. An interface may disappear while the program is attached, and return without it.
package struct HostWatch: Service {
    private static let interval: Int32 = 1_000

    private let fastPath: FastPathRunner
    private let addresses: ListenAddresses

    package init(fastPath: FastPathRunner, addresses: ListenAddresses) {
        self.fastPath = fastPath
        self.addresses = addresses
    }

    /// Tells the thread to end.
    private final class Ending: Sendable {
        let isDue = Atomic(false)
    }

    package func run() async throws {
        let (looks, due) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let ending = Ending()
        // A thread of its own: it blocks.
        try startThread(named: "interfaces") {
            let watch = linux_open_link_watch()
            defer { if watch >= 0 { close(watch) } }
            while !ending.isDue.load(ordering: .relaxed) {
                _ = linux_wait_for_links(watch, Self.interval)
                due.yield()
            }
        }
        for await _ in looks.cancelOnGracefulShutdown() {
            await fastPath.lookAfter()
            await addresses.look()
        }
        ending.isDue.store(true, ordering: .relaxed)
    }
}
