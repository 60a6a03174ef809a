import CLinux
import Glibc
import LinuxSupport

/// Waits for the end of a process.
///
/// The descriptor names the process that had the id when it was opened; compare the ``ProcessIdentity`` after that.
final class ProcessWatch: Sendable {
    private let process: CInt
    /// Rung to end a wait early.
    private let bell: CInt

    /// - Throws: when there is no such process, or no descriptor is free.
    init(_ identity: ProcessIdentity) throws(SystemError) {
        process = try callReturningErrno("pidfd_open \(identity.pid)") { linux_open_process(identity.pid) }
        do throws(SystemError) { bell = try callReturningErrno("eventfd") { linux_bell_open() } } catch {
            close(process)
            throw error
        }
    }

    deinit {
        close(process)
        close(bell)
    }

    /// Returns when the process has ended, at the deadline, or when the task is cancelled.
    ///
    /// - Returns: whether the process has ended.
    func wait(until deadline: ContinuousClock.Instant?) async -> Bool {
        await withTaskCancellationHandler {
            await onOwnThread(stackSize: 64 << 10) { self.block(until: deadline) }
        } onCancel: {
            linux_bell_ring(bell)
        }
    }

    private func block(until deadline: ContinuousClock.Instant?) -> Bool {
        var ends = [
            pollfd(fd: process, events: Int16(POLLIN), revents: 0), pollfd(fd: bell, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let found = poll(&ends, nfds_t(ends.count), Self.milliseconds(until: deadline))
            // A signal came in between.
            if found < 0, errno == EINTR { continue }
            return ends[0].revents != 0
        }
    }

    /// Rounded up, so that the deadline has passed afterwards; -1: without end.
    private static func milliseconds(until deadline: ContinuousClock.Instant?) -> CInt {
        guard let deadline else { return -1 }
        let rest = max(.zero, deadline - .now)
        return CInt(min(Int64(CInt.max), Int64((rest / .milliseconds(1)).rounded(.up))))
    }
}
