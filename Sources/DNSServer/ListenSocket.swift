import CLinux
import Glibc
package import IPNetworks
import Synchronization
import SystemPackage

/// A bound socket. It is closed once: by its user, or with its last reference.
package final class ListenSocket: Sendable {
    /// The bound address. If port 0 was requested, the port is the one the kernel chose.
    package let endpoint: SocketEndpoint
    /// `nil` once the socket is closed or handed on, so that a late call cannot reach a reused descriptor.
    private let descriptor: Mutex<CInt?>

    /// An address that is not on the host yet is bound all the same, as Knot DNS does: packets reach the socket once it
    /// comes (VRRP, an anycast address, an interface that is made later).
    init(
        _ transport: Transport, at wanted: SocketEndpoint, shared: Bool, queue: Bool = false
    ) throws(ListenError) {
        var address = nl_endpoint(wanted)
        let flags = (shared ? NL_SHARED.rawValue : 0) | (queue ? NL_QUEUE.rawValue : 0)
        let kind = transport == .udp ? NL_UDP : NL_TCP
        var opened = nl_open_listener(kind, &address, flags)
        if opened == -EADDRNOTAVAIL { opened = nl_open_listener(kind, &address, flags | NL_ABSENT.rawValue) }
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

    /// Calls `body` with the descriptor, unless the socket is closed. The descriptor stays open during the call.
    func withDescriptor<Result: Sendable>(_ body: (CInt) -> Result) -> Result? {
        descriptor.withLock { $0.map(body) }
    }

    /// Hands the descriptor on. The caller must close it.
    package func take() -> CInt? {
        descriptor.withLock { held in
            defer { held = nil }
            return held
        }
    }

    /// Keeps traffic for the address away from sockets that another process has bound to it, or shares it again.
    ///
    /// - Parameter group: this process's sockets at the address; this socket is the first.
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
    /// The sockets share their address (SO_REUSEPORT). Linux would silently let another process of the same user share
    /// it too. Each address is therefore first bound exclusively, which fails if it is in use. `handover` skips this
    /// check: the predecessor of an upgrade holds the address on purpose.
    package static func open(
        _ transport: Transport, at endpoints: [SocketEndpoint], count: Int, handover: Bool
    ) throws(ListenError) -> [ListenSocket] {
        // All are tried before one is kept: our own wildcard socket would make a specific address look taken.
        if !handover { try requireFree(transport, at: endpoints) }
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

extension ListenSocket {
    /// - Throws: the first endpoint that another socket has, or that cannot be bound. None stays bound.
    package static func requireFree(_ transport: Transport, at endpoints: [SocketEndpoint]) throws(ListenError) {
        for endpoint in endpoints { _ = try ListenSocket(transport, at: endpoint, shared: false) }
    }

    /// Whether an address is on this host now; `nil` when the system cannot tell.
    package static func isOnHost(_ address: IPAddress) -> Bool? {
        var endpoint = nl_endpoint(SocketEndpoint(address: address, port: 0))
        let found = nl_has_address(&endpoint)
        return found < 0 ? nil : found > 0
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
