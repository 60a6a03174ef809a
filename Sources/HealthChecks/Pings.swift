import CLinux
import Glibc
import IPNetworks

/// Echo requests over one raw socket for each family and source (RFC 792; RFC 4443, section 4). A reply is matched by
/// its sequence number and by a payload that is unknown to anyone who has not seen the request.
///
/// The owner must close it.
struct Pings {
    /// Marks events of these sockets. Probe slots stay below this value.
    static func tag(_ descriptor: CInt) -> UInt64 { firstTag | UInt64(descriptor) }
    static let firstTag = UInt64(UInt32.max) << 32

    private struct Route: Hashable {
        let family: IPFamily
        let source: IPAddress?
    }

    private struct Waiting {
        let target: IPAddress
        let payload: [UInt8]
        let id: ProbeID
    }

    enum Reply {
        case answer(ProbeID)
        /// The reply matches no pending request.
        case stray
    }

    private let poll: CInt
    private let identifier = UInt16.random(in: .min ... .max)
    private var sockets: [Route: CInt] = [:]
    private var waiting: [UInt16: Waiting] = [:]
    private var sequence: UInt16 = 0

    init(poll: CInt) { self.poll = poll }

    /// Sends a request for a probe.
    ///
    /// - Returns: its number, to be released when the probe ends; or a negative `errno`.
    mutating func send(to target: IPAddress, from source: IPAddress?, id: ProbeID) -> CInt {
        let socket = socket(Route(family: target.family, source: source))
        guard socket >= 0 else { return socket }
        repeat { sequence &+= 1 } while waiting[sequence] != nil
        let (high, low) = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        let payload =
            (0..<8).map { UInt8(truncatingIfNeeded: high >> (8 * $0)) }
            + (0..<8).map { UInt8(truncatingIfNeeded: low >> (8 * $0)) }
        let (address, message) = (target.bytes, request(sequence, payload, target.family))
        let result = linux_ping_send(socket, address, CInt(address.count), message, CInt(message.count))
        guard result == 0 else { return result }
        waiting[sequence] = Waiting(target: target, payload: payload, id: id)
        return CInt(sequence)
    }

    mutating func forget(_ number: UInt16) { waiting[number] = nil }

    mutating func close() {
        for socket in sockets.values { Glibc.close(socket) }
        (sockets, waiting) = ([:], [:])
    }

    private mutating func socket(_ route: Route) -> CInt {
        if let socket = sockets[route] { return socket }
        let length: CInt = route.family == .v4 ? 4 : 16
        let socket =
            if let source = route.source?.bytes { linux_ping_open(source, length, identifier) } else {
                linux_ping_open(nil, length, identifier)
            }
        guard socket >= 0 else { return socket }
        let watched = linux_poll_watch(poll, socket, false, Self.tag(socket), false)
        guard watched == 0 else {
            Glibc.close(socket)
            return watched
        }
        sockets[route] = socket
        return socket
    }

    private func request(_ number: UInt16, _ payload: [UInt8], _ family: IPFamily) -> [UInt8] {
        var message: [UInt8] = [
            family == .v4 ? 8 : 128, 0, 0, 0, UInt8(identifier >> 8), UInt8(identifier & 255), UInt8(number >> 8),
            UInt8(number & 255),
        ]
        message += payload
        // For IPv6 the kernel computes the checksum, since addresses are part of it (RFC 3542, section 3.1).
        guard family == .v4 else { return message }
        var sum: UInt32 = 0
        for index in stride(from: 0, to: message.count, by: 2) {
            sum += UInt32(message[index]) << 8 | UInt32(message[index + 1])
        }
        sum = sum & 0xffff + sum >> 16
        sum = ~(sum & 0xffff + sum >> 16)
        message[2] = UInt8(sum >> 8 & 255)
        message[3] = UInt8(sum & 255)
        return message
    }

    /// The next reply in a socket's queue. `nil`: there is none left.
    ///
    /// - Parameter tag: the tag of the socket's event.
    mutating func next(_ tag: UInt64, _ buffer: inout [UInt8]) -> Reply? {
        let socket = CInt(truncatingIfNeeded: tag & 0xffff_ffff)
        guard let route = sockets.first(where: { $0.value == socket })?.key else { return nil }
        var sender = [UInt8](repeating: 0, count: 16)
        let count = linux_ping_receive(socket, &buffer, CInt(buffer.count), &sender)
        guard count >= 0 else { return nil }
        // IPv4 messages include the IP header; IPv6 messages do not (raw(7)).
        let start = route.family == .v4 ? Int(buffer[0] % 16) * 4 : 0
        guard Int(count) >= start + 8 else { return .stray }
        let message = buffer[start..<Int(count)]
        func word(_ offset: Int) -> UInt16 {
            UInt16(message[start + offset]) << 8 | UInt16(message[start + offset + 1])
        }
        guard message[start] == (route.family == .v4 ? 0 : 129), word(4) == identifier, let waiting = waiting[word(6)],
            waiting.target.bytes.elementsEqual(sender.prefix(route.family == .v4 ? 4 : 16)),
            message.dropFirst(8).elementsEqual(waiting.payload)
        else { return .stray }
        return .answer(waiting.id)
    }
}
