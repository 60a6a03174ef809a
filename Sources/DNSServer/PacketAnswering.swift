public import IPNetworks

/// The transport of a DNS message.
public enum Transport: Sendable, Hashable {
    case udp
    case tcp
    /// DNS over TLS (RFC 7858).
    case tls
}

/// Answers DNS messages. The listeners know nothing of their content.
///
/// Called on many threads concurrently. It must not block: a UDP thread or an event loop waits for it.
public protocol PacketAnswering: Sendable {
    /// Answers one DNS message.
    ///
    /// - Parameters:
    ///   - packet: the message without TCP's length field: 0…4,096 bytes over UDP (longer datagrams arrive truncated),
    ///     1…65,535 bytes over TCP and TLS. Valid only during the call.
    ///   - client: the sender's address and port.
    ///   - transport: how the message arrived and the reply will be sent.
    ///   - reply: empty at the call. Receives the reply: at most 4,096 bytes over UDP (a longer one is not sent),
    ///     65,535 over TCP and TLS. If it stays empty, nothing is sent. The array is reused, so it keeps its capacity.
    func answer(
        _ packet: UnsafeRawBufferPointer, from client: SocketEndpoint, over transport: Transport,
        into reply: inout [UInt8])

    /// Truncates, in place, a reply that is too long for its path.
    ///
    /// - Returns: the bytes left, from the start; 0 when the reply cannot be truncated.
    func shorten(_ reply: UnsafeMutableRawBufferPointer) -> Int
}
