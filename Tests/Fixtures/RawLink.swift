import BPFRuntime
import Glibc
import LinuxSupport

/// Sends and receives whole Ethernet frames on an interface, for example with VLAN tags but without a VLAN device.
public final class RawLink: Sendable {
    // <linux/if_packet.h>, which Swift does not import.
    private static let packetLevel: CInt = 263
    private static let auxiliaryData: CInt = 8
    private static let hasTag: UInt32 = 0x10
    private static let everyProtocol: UInt16 = 3

    private let descriptor: CInt

    /// - Parameters:
    ///   - namespace: path of a network namespace.
    ///   - interface: name of an interface there.
    public init(in namespace: String, on interface: String) throws {
        descriptor = try inNetworkNamespace(namespace) { try Self.open(interface) }
    }

    deinit { close(descriptor) }

    private static func open(_ interface: String) throws -> CInt {
        let descriptor = socket(AF_PACKET, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError.last("socket") }
        var timeout = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var on: CInt = 1
        setsockopt(descriptor, packetLevel, auxiliaryData, &on, socklen_t(MemoryLayout<CInt>.size))
        // struct sockaddr_ll: family, protocol in network order, index, and what only received frames have.
        var address = withUnsafeBytes(of: UInt16(AF_PACKET)) { Array($0) } + everyProtocol.wire
        address += withUnsafeBytes(of: if_nametoindex(interface)) { Array($0) } + [UInt8](repeating: 0, count: 12)
        let isBound = address.withUnsafeBytes { raw in
            raw.assumingMemoryBound(to: sockaddr.self).baseAddress.map {
                bind(descriptor, $0, socklen_t(raw.count)) == 0
            }
        }
        guard isBound == true else {
            let failure = SystemError.last("bind \(interface)")
            close(descriptor)
            throw failure
        }
        return descriptor
    }

    /// Sends a frame as it is.
    public func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, 0) }

    /// Sends a frame, and returns the next datagram to its sender; nil if none comes within two seconds.
    public func ask(_ frame: Frame) -> Frame? {
        ask(frame, as: frame.bytes)
    }

    /// The same for a frame whose headers were changed.
    public func ask(_ frame: Frame, as bytes: [UInt8]) -> Frame? {
        send(bytes)
        return nextReply(to: frame)
    }

    /// The reply to a frame that was sent earlier and is known to be answered: a busy machine may deliver it late.
    public func lateReply(to frame: Frame) -> Frame? {
        var reply: Frame?
        eventually {
            reply = nextReply(to: frame)
            return reply != nil
        }
        return reply
    }

    private func nextReply(to frame: Frame) -> Frame? {
        while let bytes = receive() {
            if let reply = Frame(bytes: bytes), reply.destination == frame.source,
                reply.destinationPort == frame.sourcePort
            {
                return reply
            }
        }
        return nil
    }

    /// The next frame as it came. The kernel strips the outer tag of a received frame, and passes it in a control message.
    private func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_535)
        var control = [UInt8](repeating: 0, count: 64)
        let count = buffer.withUnsafeMutableBytes { data in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: data.baseAddress, iov_len: data.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    return recvmsg(descriptor, &message, 0)
                }
            }
        }
        guard count >= 14 else { return nil }
        return buffer[..<12] + Self.tag(control) + buffer[12..<count]
    }

    /// The tag in a control message: protocol, then control information; empty if there was none.
    private static func tag(_ control: [UInt8]) -> [UInt8] {
        control.withUnsafeBytes { bytes in
            // Behind the head of 16 bytes, struct tpacket_auxdata: status, lengths, offsets, information, protocol.
            let status = bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self)
            guard status & hasTag != 0 else { return [] }
            let information = bytes.loadUnaligned(fromByteOffset: 32, as: UInt16.self)
            let kind = bytes.loadUnaligned(fromByteOffset: 34, as: UInt16.self)
            return kind.wire + information.wire
        }
    }
}
