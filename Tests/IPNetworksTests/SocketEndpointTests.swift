import IPNetworks
import Testing

@Suite("Socket endpoints")
struct SocketEndpointTests {
    @Test(
        "an endpoint prints as it was read",
        arguments: ["192.0.2.53:53", "[2001:db8::53]:53", "[::]:65535", "0.0.0.0:0"])
    func roundTrip(text: String) throws { #expect(try #require(SocketEndpoint(text)).description == text) }

    @Test(
        "a missing port, a bad port and a bare IPv6 address are refused",
        arguments: [
            "192.0.2.53", "192.0.2.53:", "192.0.2.53:65536", "192.0.2.53:+5", "::1:53", "[::1]", "[192.0.2.53]:53",
            "[::1:53",
            ":53", "[]:53", "localhost:53",
        ])
    func refused(text: String) { #expect(SocketEndpoint(text) == nil) }
}
