import IPNetworks
import Testing

@Suite("IP addresses")
struct IPAddressTests {
    @Test(
        "an address prints in its canonical form",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
            ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:DB8::00AB", "2001:db8::ab"),
            ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
            ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("0:0:0:0:0:ffff:c000:201", "::ffff:192.0.2.1"),
            ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
        ])
    func canonical(text: String, canonical: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == canonical)
        #expect(IPAddress(canonical) == address)
        #expect(IPAddress(bytes: address.bytes) == address)
    }

    @Test(
        "text that is not exactly one address is refused",
        arguments: [
            "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.04", "01.2.3.4", "1.2.3.", ".1.2.3", "1.2.3.4 ",
            " 1.2.3.4",
            "1.2.3.+4", "0x1.2.3.4", "1.2.3.4/8", ":", ":::", "1:::2", "::1::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
            "1:2:3:4:5:6:7::8", "::12345", "::g", "fe80::1%eth0", ":1", "1:", "1.2.3.4::", "::1.2.3", "::1.2.3.4:5",
            "1:2:3:4:5:6:7:1.2.3.4", "::1/64", "[::1]",
        ])
    func refused(text: String) { #expect(IPAddress(text) == nil) }

    @Test("integers are in host order and bytes in network order")
    func order() {
        #expect(IPAddress("192.0.2.1") == .v4(0xC000_0201))
        #expect(IPAddress("2001:db8::1") == .v6(0x2001_0db8_0000_0000_0000_0000_0000_0001))
        #expect(IPAddress.v4(0xC000_0201).bytes == [192, 0, 2, 1])
        #expect(IPAddress(bytes: [1, 2, 3]) == nil)
        #expect(IPAddress.v4(.max) < .v6(0))
    }

    @Test("masking clears the bits after the length, at every length")
    func masking() {
        for length in 0...32 {
            #expect(IPAddress.v4(.max).masked(to: length) == .v4(length == 0 ? 0 : .max << (32 - UInt32(length))))
        }
        for length in 0...128 {
            guard case .v6(let value) = IPAddress.v6(.max).masked(to: length) else { return }
            #expect(value.leadingZeroBitCount == (length == 0 ? 128 : 0))
            #expect(value.nonzeroBitCount == length)
        }
    }
}
