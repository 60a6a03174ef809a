import DNSWire
import Glibc
import HostLookup
import IPNetworks
import LinuxSupport
import Testing

/// A UDP socket and a TCP listener on one port of 127.0.0.1. Answers on threads of its own.
private final class Server: Sendable {
    let (datagrams, listener, stranger): (CInt, CInt, CInt)
    let port: UInt16

    init() throws {
        func opened(_ type: __socket_type, _ port: UInt16) throws -> (CInt, UInt16) {
            let descriptor = socket(AF_INET, CInt(type.rawValue), 0)
            var (at, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
            at.sin_family = sa_family_t(AF_INET)
            at.sin_port = port.bigEndian
            at.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            let result = withUnsafeMutablePointer(to: &at) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
                }
            }
            guard result == 0 else { throw LookupFailure(description: "bind: \(errno)") }
            return (descriptor, UInt16(bigEndian: at.sin_port))
        }
        (listener, port) = try opened(SOCK_STREAM, 0)
        listen(listener, 4)
        (datagrams, _) = try opened(SOCK_DGRAM, port)
        (stranger, _) = try opened(SOCK_DGRAM, 0)
    }

    deinit { for descriptor in [datagrams, listener, stranger] { close(descriptor) } }

    /// Answers one datagram with these messages. Those marked come from another port.
    func answerDatagram(_ replies: @escaping @Sendable ([UInt8]) -> [(message: [UInt8], fromStranger: Bool)]) throws {
        let (datagrams, stranger) = (datagrams, stranger)
        try startThread(named: "server") {
            var buffer = [UInt8](repeating: 0, count: 512)
            var (from, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
            withUnsafeMutablePointer(to: &from) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { from in
                    let count = recvfrom(datagrams, &buffer, buffer.count, 0, from, &length)
                    for (message, fromStranger) in replies(Array(buffer.prefix(max(0, count)))) {
                        sendto(fromStranger ? stranger : datagrams, message, message.count, 0, from, length)
                    }
                }
            }
        }
    }

    /// Answers one connection, in two pieces.
    func answerConnection(_ reply: @escaping @Sendable ([UInt8]) -> [UInt8]) throws {
        let listener = listener
        try startThread(named: "server") {
            let connection = accept(listener, nil, nil)
            defer { close(connection) }
            var buffer = [UInt8](repeating: 0, count: 512)
            let count = recv(connection, &buffer, buffer.count, 0)
            let message = reply(Array(buffer.prefix(max(0, count)).dropFirst(2)))
            let whole = [UInt8(message.count >> 8), UInt8(message.count & 255)] + message
            send(connection, whole, 3, CInt(MSG_NOSIGNAL))
            usleep(20_000)
            send(connection, Array(whole[3...]), whole.count - 3, CInt(MSG_NOSIGNAL))
        }
    }
}

@Suite struct SocketLookupTests {
    private func lookup(_ server: Server) throws -> HostLookup {
        let list = ServerList.fixed([LookupServer(try address("127.0.0.1"), port: server.port)])
        return HostLookup(
            servers: { list }, transport: SocketLookupTransport(milliseconds: 500), now: { 0 })
    }

    @Test func `forged replies are ignored and the true one is taken`() async throws {
        let server = try Server()
        let truth = Reply(answers: [try Reply.a("host.example", 1)])
        let lie = Reply(answers: [try Reply.a("host.example", 66)])
        try server.answerDatagram { question in
            var otherID = question
            otherID[0] ^= 1
            return [
                (lie.message(to: question), true), (lie.message(to: otherID), false), ([], false),
                (truth.message(to: question), false),
            ]
        }
        let answer = try await lookup(server).addresses(of: DomainName("host.example"), family: .v4)
        #expect(answer == .addresses([try address("192.0.2.1")], timeToLive: .seconds(60)))
    }

    /// A reply of 12 bytes, which a forger can make without seeing the question but for its id.
    private static func bare(_ question: [UInt8], code: UInt8) -> [UInt8] {
        question[0..<2] + [0x81, 0x80 | code] + [UInt8](repeating: 0, count: 8)
    }

    @Test func `a reply without the question denies no name, and an error without it is no end while more may come`()
        async throws
    {
        let server = try Server()
        let truth = Reply(answers: [try Reply.a("host.example", 1)])
        try server.answerDatagram { question in
            [
                (Self.bare(question, code: 3), false), (Self.bare(question, code: 5), false),
                (truth.message(to: question), false),
            ]
        }
        let answer = try await lookup(server).addresses(of: DomainName("host.example"), family: .v4)
        #expect(answer == .addresses([try address("192.0.2.1")], timeToLive: .seconds(60)))
    }

    @Test func `an error without the question is the reason when nothing else comes`() async throws {
        let server = try Server()
        try server.answerDatagram { [(Self.bare($0, code: 5), false)] }
        let answer = try await lookup(server).addresses(of: DomainName("host.example"), family: .v4)
        #expect(answer == .unanswered("127.0.0.1:\(server.port): the server answers REFUSED"))
    }

    @Test func `a server that changes case is believed over TCP only`() async throws {
        let server = try Server()
        let truth = Reply(answers: [try Reply.a("host.example", 1)])
        let lie = Reply(answers: [try Reply.a("host.example", 66)])
        @Sendable func inOtherCase(_ question: [UInt8]) -> [UInt8] {
            var question = question
            question[13] ^= 0x20
            return question
        }
        try server.answerDatagram { [(lie.message(to: inOtherCase($0)), false)] }
        try server.answerConnection { truth.message(to: inOtherCase($0)) }
        let answer = try await lookup(server).addresses(of: DomainName("host.example"), family: .v4)
        #expect(answer == .addresses([try address("192.0.2.1")], timeToLive: .seconds(60)))
    }

    @Test func `a server that is silent or closed gives no answer`() async throws {
        let server = try Server()
        let name = "127.0.0.1:\(server.port)"
        let silent = try await lookup(server).addresses(of: DomainName("host.example"), family: .v4)
        #expect(silent == .unanswered("\(name): no reply in time"))
    }

    @Test func `a port without a server gives no answer at once`() async throws {
        // Nothing listens on port 9 (discard) of this address.
        let list = ServerList.fixed([LookupServer(try address("127.99.99.99"), port: 9)])
        let answer = await HostLookup(servers: { list }).addresses(of: try DomainName("host.example"), family: .v4)
        guard case .unanswered(let reason) = answer else { throw LookupFailure(description: "\(answer)") }
        #expect(reason.hasPrefix("127.99.99.99:9: ") && reason.contains("Connection refused"))
    }
}
