import DNSServer
import Foundation
import IPNetworks
import Synchronization

/// Hostile clients on many networks of loopback: each holds a connection and comes back at once when it is closed.
final class Besieger: Sendable {
    /// What a connection does once it is there.
    enum Conduct: Sendable {
        /// Nothing.
        case silent
        /// Sends these bytes, and then nothing.
        case says([UInt8])
        /// Sends this message again and again, to stay among those in use.
        case asks([UInt8])
    }

    private let stopped = Atomic<Bool>(false)
    private let threads = DispatchGroup()
    /// Connections made, and those of them that the server closed.
    let made = Atomic<Int>(0)
    let closed = Atomic<Int>(0)

    /// Begins at once, with a thread for each network: 127.`first`+n.1.0/24, `perNetwork` connections from as many addresses.
    ///
    /// - Parameter conducts: connection n behaves as the one at n modulo their count.
    init(_ endpoint: SocketEndpoint, networks: Int, perNetwork: Int, first: Int = 10, conducts: [Conduct]) {
        for network in 0..<networks {
            threads.enter()
            Thread.detachNewThread {
                self.besiege(endpoint, 0x7F00_0100 | UInt32(first + network) << 16, perNetwork, conducts)
                self.threads.leave()
            }
        }
    }

    /// Closes every connection.
    func end() {
        stopped.store(true, ordering: .relaxed)
        threads.wait()
    }

    private func besiege(_ endpoint: SocketEndpoint, _ network: UInt32, _ count: Int, _ conducts: [Conduct]) {
        var sockets = [TestSocket?](repeating: nil, count: count)
        while !stopped.load(ordering: .relaxed) {
            for index in sockets.indices {
                if let socket = sockets[index], socket.hasEnded() {
                    closed.wrappingAdd(1, ordering: .relaxed)
                    sockets[index] = nil
                }
                let conduct = conducts[index % conducts.count]
                if sockets[index] == nil {
                    sockets[index] = try? TestSocket(.tcp, to: endpoint, from: .v4(network + UInt32(index + 1)))
                    made.wrappingAdd(1, ordering: .relaxed)
                    if case .says(let bytes) = conduct { try? sockets[index]?.send(bytes) }
                }
                if case .asks(let message) = conduct { try? sockets[index]?.sendMessage(message) }
            }
            usleep(5_000)
        }
    }
}

extension TestSocket {
    /// True when the other end has closed the connection. Takes what has arrived, and waits for nothing.
    func hasEnded() -> Bool {
        while true {
            guard let bytes = receiveNow() else { return false }
            if bytes == 0 { return true }
        }
    }
}
