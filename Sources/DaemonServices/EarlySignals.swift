import ControlPlane
import Glibc
import Synchronization

/// SIGTERM, SIGINT and SIGHUP before the services run.
///
///     install ── loading: the process ends at once ──► endLoading ── noted: a start ends in order ──► the services' own
///
/// While files are read and compiled there is nothing to take back, and a database takes seconds. From then on a request to
/// end is noted, so that what was attached is taken back; and SIGHUP always, so that what has changed since is read again.
package enum EarlySignals {
    private enum Phase {
        static let loading: UInt8 = 0
        static let ending: UInt8 = 1
        static let starting: UInt8 = 2
    }

    /// Left by whoever comes first, the end of the loading or a request to end.
    private static let phase = Atomic<UInt8>(Phase.loading)
    private static let isReceived = Atomic<Bool>(false)
    private static let isReloading = Atomic<Bool>(false)

    package static func install() {
        signal(SIGHUP) { _ in EarlySignals.isReloading.store(true, ordering: .relaxed) }
        for number in [SIGTERM, SIGINT] { signal(number) { _ in EarlySignals.receive() } }
    }

    /// In a signal handler: nothing but atomics, `write` and `_exit`.
    private static func receive() {
        isReceived.store(true, ordering: .relaxed)
        let (isFirst, _) = phase.compareExchange(
            expected: Phase.loading, desired: Phase.ending, ordering: .acquiringAndReleasing)
        guard isFirst else { return }
        let message: StaticString = "nearcastd: stopped while loading\n"
        _ = write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
        _exit(0)
    }

    /// From now on there may be something to take back.
    package static func endLoading() {
        let (isFirst, _) = phase.compareExchange(
            expected: Phase.loading, desired: Phase.starting, ordering: .acquiringAndReleasing)
        // The handler is about to end the process.
        while !isFirst { pause() }
    }

    /// Whether SIGHUP came; asked once.
    package static func takeReload() -> Bool { isReloading.exchange(false, ordering: .relaxed) }

    package static var received: Bool { isReceived.load(ordering: .relaxed) }

    /// - Throws: `StoppedEarly` when the process was told to end.
    package static func check() throws(StoppedEarly) {
        if received { throw StoppedEarly() }
    }
}

/// The daemon was told to end before it answered.
package struct StoppedEarly: Error {}
