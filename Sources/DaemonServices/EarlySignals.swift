import ControlPlane
import Glibc
import Synchronization

/// Handles SIGTERM, SIGINT and SIGHUP before the services run.
///
///     install ── loading: the process ends at once ──► endLoading ── noted: a start ends in order ──► the services' own
///
/// While files are read and compiled there is nothing to undo, and a database takes seconds, so the process ends at
/// once. After that a request to stop is noted, so that attached programs are removed first. SIGHUP is always noted, so
/// that changed files are read again.
package enum EarlySignals {
    private enum Phase {
        static let loading: UInt8 = 0
        static let ending: UInt8 = 1
        static let starting: UInt8 = 2
    }

    /// Set once, by the end of loading or by a request to stop, whichever comes first.
    private static let phase = Atomic<UInt8>(Phase.loading)
    private static let isReceived = Atomic<Bool>(false)
    private static let isReloading = Atomic<Bool>(false)

    package static func install() {
        signal(SIGHUP) { _ in EarlySignals.isReloading.store(true, ordering: .relaxed) }
        for number in [SIGTERM, SIGINT] { signal(number) { _ in EarlySignals.receive() } }
    }

    /// Runs in a signal handler: only atomics, `write` and `_exit`.
    private static func receive() {
        isReceived.store(true, ordering: .relaxed)
        let (isFirst, _) = phase.compareExchange(
            expected: Phase.loading, desired: Phase.ending, ordering: .acquiringAndReleasing)
        guard isFirst else { return }
        let message: StaticString = "nearcastd: stopped while loading\n"
        _ = write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
        _exit(0)
    }

    /// Ends the loading phase: from now on there may be something to undo.
    package static func endLoading() {
        let (isFirst, _) = phase.compareExchange(
            expected: Phase.loading, desired: Phase.starting, ordering: .acquiringAndReleasing)
        // The handler is about to end the process.
        while !isFirst { pause() }
    }

    /// Whether SIGHUP arrived. Reading it clears it.
    package static func takeReload() -> Bool { isReloading.exchange(false, ordering: .relaxed) }

    package static var received: Bool { isReceived.load(ordering: .relaxed) }

    /// - Throws: `StoppedEarly` when the process was asked to stop.
    package static func check() throws(StoppedEarly) {
        if received { throw StoppedEarly() }
    }
}

/// The daemon was asked to stop before its first answer.
package struct StoppedEarly: Error {}
