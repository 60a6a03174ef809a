import CLinux
import Glibc
package import IPNetworks
import Synchronization
import SystemPackage

/// A bound socket. Closed once: by its user, or with its last reference.
package final class ListenSocket: Sendable {
    /// Where it is bound; the port is the one the kernel chose when 0 was asked.
    package let endpoint: SocketEndpoint
    /// `nil` once closed or handed on, so that a late call never reaches a descriptor that was given to another file.
    private let descriptor: Mutex<CInt?>

    init(
        _ transport: Transport, at wanted: SocketEndpoint, shared: Bool, queue: Bool = false
    ) throws(ListenError) {
        var address = nl_endpoint(wanted)
        let flags = (shared ? NL_SHARED.rawValue : 0) | (queue ? NL_QUEUE.rawValue : 0)
        let opened = nl_open_listener(transport == .udp ? NL_UDP : NL_TCP, &address, flags)
        guard opened >= 0 else { throw ListenError(wanted, transport, errno: Errno(rawValue: -opened)) }
        let failure = nl_local_endpoint(opened, &address)
        guard failure == 0 else {
            Glibc.close(opened)
            throw ListenError(wanted, transport, errno: Errno(rawValue: -failure))
        }
        endpoint = SocketEndpoint(address: wanted.address, port: address.port)
        descriptor = Mutex(opened)
    }

    deinit { close() }

    /// Calls `body` with the descriptor unless the socket is closed; it stays open meanwhile.
    func withDescriptor<Result: Sendable>(_ body: (CInt) -> Result) -> Result? {
        descriptor.withLock { $0.map(body) }
    }

    /// Hands the descriptor on; closing it is the caller's duty from now on.
    package func take() -> CInt? {
        descriptor.withLock { held in
            defer { held = nil }
            return held
        }
    }

    /// Keeps what arrives at the address from sockets that another process has bound to it, or shares it with them again.
    ///
    /// - Parameter group: sockets of this process at the address, of which this is the first.
    package func keepAddress(_ keeps: Bool, group: Int = 1) {
        _ = withDescriptor { if keeps { nl_keep_address($0, UInt32(group)) } else { nl_share_address($0) } }
    }

    func close() {
        if let held = take() { Glibc.close(held) }
    }
}

extension ListenSocket {
    /// Opens `count` sockets at each endpoint, all or none.
    ///
    /// They share their address (SO_REUSEPORT), and Linux would let another process of the same user share it too, in silence.
    /// So each address is first bound alone, which fails when anybody holds it. `handover` leaves that out: the
    /// predecessor of an upgrade holds the address on purpose.
    package static func open(
        _ transport: Transport, at endpoints: [SocketEndpoint], count: Int, handover: Bool
    ) throws(ListenError) -> [ListenSocket] {
        // All are tried before one is kept: a wildcard of ours would make its specific neighbour look taken.
        if !handover {
            for endpoint in endpoints { _ = try ListenSocket(transport, at: endpoint, shared: false) }
        }
        var sockets: [ListenSocket] = []
        for endpoint in endpoints {
            let first = try ListenSocket(transport, at: endpoint, shared: true, queue: transport != .udp)
            sockets.append(first)
            for _ in 1..<count {
                sockets.append(try ListenSocket(transport, at: first.endpoint, shared: true, queue: transport != .udp))
            }
        }
        return sockets
    }
}

extension nl_endpoint {
    init(_ endpoint: SocketEndpoint) {
        self.init()
        port = endpoint.port
        switch endpoint.address {
        case .v4(let value):
            low = UInt64(value)
        case .v6(let value):
            ipv6 = true
            high = UInt64(truncatingIfNeeded: value >> 64)
            low = UInt64(truncatingIfNeeded: value)
        }
    }

    var endpoint: SocketEndpoint {
        SocketEndpoint(
            address: ipv6 ? .v6(UInt128(high) << 64 | UInt128(low)) : .v4(UInt32(truncatingIfNeeded: low)), port: port)
    }
}
