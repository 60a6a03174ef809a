public import IPNetworks

/// How a DNS message travelled.
public enum Transport: Sendable, Hashable {
    case udp
    case tcp
    /// DNS over TLS (RFC 7858).
    case tls
}

/// Turns DNS messages into replies; the listeners know nothing of their content.
///
/// Called on many threads at once. It must not block: a UDP thread or an event loop waits for it.
public protocol PacketAnswering: Sendable {
    /// Answers one DNS message.
    ///
    /// - Parameters:
    ///   - packet: the message without the length field of TCP, 0…4,096 bytes over UDP (a longer datagram arrives cut), 1…65,535
    ///     over TCP and TLS. Valid during the call only.
    ///   - client: the sender's address and port.
    ///   - transport: how the message came and the reply will go.
    ///   - reply: empty at the call; the reply's bytes after it, at most 4,096 over UDP (a longer one is not sent) and
    ///     65,535 over TCP and TLS. Left empty, nothing is sent. The array is reused, so its capacity is there already.
    func answer(
        _ packet: UnsafeRawBufferPointer, from client: SocketEndpoint, over transport: Transport,
        into reply: inout [UInt8])

    /// Cuts a reply that is too long for its path to one that says so, in place.
    ///
    /// - Returns: the bytes that are left, from the start; 0 when there is no such reply.
    func shorten(_ reply: UnsafeMutableRawBufferPointer) -> Int
}
