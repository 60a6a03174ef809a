import IPNetworks
import Testing

@Suite("IP prefixes")
struct IPPrefixTests {
    @Test(
        "a prefix prints as it was read",
        arguments: ["0.0.0.0/0", "198.51.100.0/24", "192.0.2.1/32", "::/0", "2001:db8::/32"])
    func roundTrip(text: String) throws { #expect(try #require(IPPrefix(text)).description == text) }

    @Test(
        "host bits, missing and impossible lengths are refused",
        arguments: [
            "198.51.100.1/24", "198.51.100.0", "198.51.100.0/", "198.51.100.0/33", "198.51.100.0/024",
            "198.51.100.0/+24",
            "2001:db8::1/64", "::/129", "/24", "::/0/0",
        ])
    func refused(text: String) { #expect(IPPrefix(text) == nil) }

    @Test("making a prefix from an address clears its host bits")
    func masks() throws {
        let address = try #require(IPAddress("198.51.100.77"))
        #expect(IPPrefix(address: address, length: 24) == IPPrefix("198.51.100.0/24"))
        #expect(IPPrefix(address: address, length: 24).lastAddress == IPAddress("198.51.100.255"))
    }

    @Test("a prefix holds its addresses and narrower prefixes, of its family only")
    func containment() throws {
        let prefix = try #require(IPPrefix("198.51.100.0/24"))
        #expect(prefix.contains(try #require(IPAddress("198.51.100.255"))))
        #expect(!prefix.contains(try #require(IPAddress("198.51.101.0"))))
        #expect(!prefix.contains(try #require(IPAddress("::"))))
        #expect(prefix.contains(try #require(IPPrefix("198.51.100.128/25"))))
        #expect(!prefix.contains(try #require(IPPrefix("198.51.0.0/16"))))
        #expect(try #require(IPPrefix("::/0")).contains(.v6(.max)))
    }
}
