import CLinux
import Fixtures
import Glibc
import Testing

/// What strangers send to the raw sockets of ICMP checks.
@Suite struct PingFilterTests {
    private static func reply(_ identifier: UInt16, to length: Int) -> [UInt8] {
        var message: [UInt8] = [length == 4 ? 0 : 129, 0, 0, 0, UInt8(identifier >> 8), UInt8(identifier & 255), 0, 1]
        guard length == 4 else { return message }
        let sum = ~(UInt16(identifier) &+ 1)
        message[2] = UInt8(sum >> 8)
        message[3] = UInt8(sum & 255)
        return message
    }

    @Test("replies with another identifier never reach the socket", arguments: [4, 16])
    func filter(length: Int) throws {
        try #require(geteuid() == 0, "raw sockets: run as root")
        let loopback: [UInt8] = length == 4 ? [127, 0, 0, 1] : [UInt8](repeating: 0, count: 15) + [1]
        let socket = linux_ping_open(loopback, CInt(length), 0x1234)
        try #require(socket >= 0)
        defer { close(socket) }
        for identifier: UInt16 in [0x1233, 0x3412, 0, .max, 0x1234] {
            let message = Self.reply(identifier, to: length)
            #expect(linux_ping_send(socket, loopback, CInt(length), message, CInt(message.count)) == 0)
        }
        var (buffer, sender) = ([UInt8](repeating: 0, count: 256), [UInt8](repeating: 0, count: 16))
        var found: [UInt16] = []
        while true {
            let count = linux_ping_receive(socket, &buffer, CInt(buffer.count), &sender)
            guard count >= 0 else { break }
            let start = length == 4 ? Int(buffer[0] & 15) * 4 : 0
            found.append(UInt16(buffer[start + 4]) << 8 | UInt16(buffer[start + 5]))
        }
        #expect(found == [0x1234])
    }
}
