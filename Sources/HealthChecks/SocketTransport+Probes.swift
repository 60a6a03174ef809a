import CLinux
import Glibc
import Health
import IPNetworks
import SystemPackage

/// The steps of one probe, from start to end.
extension SocketTransport {
    func start(_ probe: SocketProbe) {
        let (target, source) = (probe.target, probe.check.source)
        if probe.check.probe == .icmp {
            let number = pings.send(to: target, from: source, id: probe.id)
            guard number >= 0 else { return end(probe, .refusedHere(Errno(rawValue: -number))) }
            probe.ping = UInt16(number)
            return
        }
        let address = target.bytes
        probe.descriptor =
            if let source = source?.bytes {
                linux_connect(address, source, CInt(address.count), probe.port)
            } else {
                linux_connect(address, nil, CInt(address.count), probe.port)
            }
        guard probe.descriptor >= 0 else { return end(probe, .refusedHere(Errno(rawValue: -probe.descriptor))) }
        proceed(probe)
    }

    /// Continues as far as the connection allows.
    func proceed(_ probe: SocketProbe) {
        if probe.stage == .connecting {
            let result = linux_connect_result(probe.descriptor)
            if result == -EINPROGRESS { return watch(probe, writable: true) }
            guard result == 0 else { return end(probe, .failure(Errno(rawValue: -result))) }
            probe.stage = .sending
        }
        if probe.stage == .sending {
            guard send(probe) else { return }
            if let outcome = probe.outcomeOfConnection { return end(probe, outcome) }
            probe.stage = .reading
            // There can be no answer yet, so a read would be a wasted system call.
            return watch(probe, writable: false)
        }
        read(probe)
    }

    /// - Returns: whether everything was sent.
    private func send(_ probe: SocketProbe) -> Bool {
        while !probe.unsent.isEmpty {
            let sent = probe.unsent.withUnsafeBytes {
                Glibc.send(probe.descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            if sent < 0 {
                let code = errno
                if code == EINTR { continue }
                if code == EAGAIN { watch(probe, writable: true) } else { end(probe, .failure(Errno(rawValue: code))) }
                return false
            }
            probe.unsent.removeFirst(sent)
        }
        return true
    }

    private func read(_ probe: SocketProbe) {
        let count = recv(probe.descriptor, &buffer, buffer.count, 0)
        switch count {
        case 0: end(probe, .failed("the connection was closed"))
        case ..<0:
            let code = errno
            if code != EAGAIN, code != EINTR { end(probe, .failure(Errno(rawValue: code))) }
        default:
            if let outcome = probe.outcome(of: buffer[..<count]) { end(probe, outcome) }
        }
    }

    private func watch(_ probe: SocketProbe, writable: Bool) {
        let result = linux_poll_watch(poll, probe.descriptor, writable, probe.id.tag, probe.isWatched)
        if result < 0 { return end(probe, .failure(Errno(rawValue: -result))) }
        probe.isWatched = true
    }
}
