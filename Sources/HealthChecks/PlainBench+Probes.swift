import CLinux
import Glibc
import Health
import IPNetworks
import Synchronization
import SystemPackage

/// One probe, from its beginning to its end.
extension PlainBench {
    func begin(_ job: PlainJob) {
        let check = job.key.check
        running += 1
        job.turn = nextTurn()
        job.began = now
        job.stage = .connecting
        job.prepare()
        queue.add(.init(due: now + check.timeoutMilliseconds * 1_000_000, job: job.index, turn: job.turn))
        if check.probe == .icmp { return ping(job) }
        let address = check.target.bytes
        job.descriptor =
            if let source = check.source?.bytes {
                linux_connect(address, source, CInt(address.count), job.port)
            } else {
                linux_connect(address, nil, CInt(address.count), job.port)
            }
        guard job.descriptor >= 0 else { return end(job, .failure(Errno(rawValue: -job.descriptor))) }
        proceed(job)
    }

    private func ping(_ job: PlainJob) {
        job.stage = .pinging
        let number = pings.send(to: job.key.check.target, from: job.key.check.source, job: job.tag)
        guard number >= 0 else { return end(job, .failure(Errno(rawValue: -number))) }
        job.ping = UInt16(number)
    }

    /// Goes as far as the connection lets it.
    func proceed(_ job: PlainJob) {
        if job.stage == .connecting {
            let result = linux_connect_result(job.descriptor)
            if result == -EINPROGRESS { return watch(job, writable: true) }
            guard result == 0 else { return end(job, .failure(Errno(rawValue: -result))) }
            job.stage = .sending
        }
        if job.stage == .sending {
            guard send(job) else { return }
            if let outcome = job.outcomeOfConnection { return end(job, outcome) }
            job.stage = .reading
            // Nothing can be there yet that is worth a system call.
            return watch(job, writable: false)
        }
        read(job)
    }

    /// - Returns: whether all is said.
    private func send(_ job: PlainJob) -> Bool {
        while !job.unsent.isEmpty {
            let sent = job.unsent.withUnsafeBytes {
                Glibc.send(job.descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            if sent < 0 {
                let code = errno
                if code == EINTR { continue }
                if code == EAGAIN { watch(job, writable: true) } else { end(job, .failure(Errno(rawValue: code))) }
                return false
            }
            job.unsent.removeFirst(sent)
        }
        return true
    }

    private func read(_ job: PlainJob) {
        let count = recv(job.descriptor, &buffer, buffer.count, 0)
        switch count {
        case 0: end(job, .failed("the connection was closed"))
        case ..<0:
            let code = errno
            if code != EAGAIN, code != EINTR { end(job, .failure(Errno(rawValue: code))) }
        default:
            if let outcome = job.outcome(of: buffer[..<count]) { end(job, outcome) }
        }
    }

    private func watch(_ job: PlainJob, writable: Bool) {
        let result = linux_poll_watch(poll, job.descriptor, writable, job.tag, job.isWatched)
        if result < 0 { return end(job, .failure(Errno(rawValue: -result))) }
        job.isWatched = true
    }

    func hangUp(_ job: PlainJob) {
        running -= 1
        if job.descriptor >= 0 { Glibc.close(job.descriptor) }
        job.descriptor = -1
        if let ping = job.ping { pings.forget(ping) }
        job.ping = nil
        job.isWatched = false
        job.stage = .idle
        job.turn = nextTurn()
    }

    func end(_ job: PlainJob, _ outcome: ProbeOutcome) {
        hangUp(job)
        counted.withLock { $0.count(outcome) }
        let done = Self.clock()
        batch.add(
            ProbeReport(
                node: job.key.node, check: job.key.check, outcome: outcome, at: Moment(milliseconds: done / 1_000_000),
                tookMicroseconds: (done - job.began) / 1_000), at: done)
        let interval = job.key.check.intervalMilliseconds * 1_000_000
        // From when it was due, so that the pace is kept. What was missed is not made up for: after a time in which this
        // machine stood still all would be asked at once, and again with each interval.
        job.due += interval + .random(in: -interval / 20...interval / 20)
        if job.due < done { job.due = done + .random(in: 0..<interval) }
        queue.add(.init(due: job.due, job: job.index, turn: job.turn))
    }
}
