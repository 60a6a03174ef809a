import Glibc
import Synchronization

/// SIGTERM, SIGINT and SIGHUP before the services run: noted, so that a start can end in order and take back what it
/// attached, or read again what has changed since.
///
/// The service group installs handlers of its own once it runs.
enum EarlySignals {
    private static let isReceived = Atomic<Bool>(false)

    private static let isReloading = Atomic<Bool>(false)

    static func install() {
        signal(SIGHUP) { _ in EarlySignals.isReloading.store(true, ordering: .relaxed) }
        for number in [SIGTERM, SIGINT] {
            signal(number) { _ in EarlySignals.isReceived.store(true, ordering: .relaxed) }
        }
    }

    /// Whether SIGHUP came; asked once.
    static func takeReload() -> Bool { isReloading.exchange(false, ordering: .relaxed) }

    static var received: Bool { isReceived.load(ordering: .relaxed) }

    /// - Throws: `StoppedEarly` when the process was told to end.
    static func check() throws(StoppedEarly) {
        if received { throw StoppedEarly() }
    }
}

/// The daemon was told to end before it answered.
struct StoppedEarly: Error {}
