import DNSServer
import Foundation
import IPNetworks
import SystemPackage
import Testing

@Suite struct ListenErrorTests {
    /// A link-local address needs an interface.
    private static let unbindable = SocketEndpoint(address: .v6(0xfe80 << 112 | 1), port: 5_353)
    private static let absent = SocketEndpoint(address: .v4(0xC000_0235), port: 53)

    @Test(
        "each error says what to do",
        arguments: [
            (.addressNotAvailable, "address not on this host (add it to an interface or correct listen)"),
            (.addressInUse, "UDP port taken by another process (ss -lunp shows which)"),
            (.permissionDenied, "no permission (needs CAP_NET_BIND_SERVICE)"),
            (.tooManyOpenFiles, "cannot be opened: Too many open files"),
        ] as [(Errno, String)])
    func messages(errno: Errno, message: String) {
        #expect(ListenError(Self.absent, .udp, errno: errno).description == "listen 192.0.2.53:53: \(message)")
    }

    @Test("an address that the host does not have is bound all the same, by one server alone")
    func addressNotOnHost() throws {
        let later = SocketEndpoint(address: Self.absent.address, port: 5_353)
        #expect(ListenSocket.isOnHost(later.address) == false)
        #expect(ListenSocket.isOnHost(loopback.address) == true)
        let udp = try UDPServer(endpoints: [later], answering: ScriptedAnswering())
        #expect(throws: ListenError(later, .udp, errno: .addressInUse)) {
            try UDPServer(endpoints: udp.endpoints, answering: ScriptedAnswering())
        }
        let tcp = try TCPServer(endpoints: [later], answering: ScriptedAnswering())
        #expect(throws: ListenError(later, .tcp, errno: .addressInUse)) {
            try TCPServer(endpoints: tcp.endpoints, answering: ScriptedAnswering())
        }
    }

    @Test("a UDP port that another server shares is in use, unless it is handed over")
    func udpPortTaken() throws {
        let first = try UDPServer(endpoints: [loopback], answering: ScriptedAnswering())
        #expect(throws: ListenError(first.endpoints[0], .udp, errno: .addressInUse)) {
            try UDPServer(endpoints: first.endpoints, answering: ScriptedAnswering())
        }
        _ = try UDPServer(endpoints: first.endpoints, answering: ScriptedAnswering(), handover: true)
    }

    @Test("a TCP port that another server shares is in use, unless it is handed over")
    func tcpPortTaken() throws {
        let first = try TCPServer(endpoints: [loopback], answering: ScriptedAnswering())
        #expect(throws: ListenError(first.endpoints[0], .tcp, errno: .addressInUse)) {
            try TCPServer(endpoints: first.endpoints, answering: ScriptedAnswering())
        }
        _ = try TCPServer(endpoints: first.endpoints, answering: ScriptedAnswering(), handover: true)
    }

    @Test("when one of several addresses cannot be served, none stays bound")
    func allOrNone() throws {
        let free = try UDPServer(endpoints: [loopback], answering: ScriptedAnswering()).endpoints[0]
        for handover in [false, true] {
            #expect(throws: ListenError.self) {
                try UDPServer(endpoints: [free, Self.unbindable], answering: ScriptedAnswering(), handover: handover)
            }
        }
        _ = try UDPServer(endpoints: [free], answering: ScriptedAnswering())
    }

    @Test("a wildcard and a specific address of the same port can be served together")
    func wildcardBesideSpecific() throws {
        let free = try UDPServer(endpoints: [loopback], answering: ScriptedAnswering()).endpoints[0]
        let both = [SocketEndpoint(address: .v4(0), port: free.port), free]
        #expect(try UDPServer(endpoints: both, answering: ScriptedAnswering()).endpoints == both)
    }
}
