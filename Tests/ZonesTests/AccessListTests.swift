import IPNetworks
import Testing
import Zones

private func networks(_ text: String) -> [IPPrefix] { text.split(separator: " ").compactMap { IPPrefix($0) } }

@Suite("Access lists")
struct AccessListTests {
    @Test(
        "the most specific network that holds the sender decides",
        arguments: [
            ("", "", "192.0.2.1", true), ("192.0.2.0/24", "", "192.0.2.1", true),
            ("192.0.2.0/24", "", "192.0.3.0", false), ("192.0.2.0/24", "", "192.0.1.255", false),
            ("192.0.2.0/24", "", "2001:db8::1", false), ("", "192.0.2.0/24", "192.0.2.255", false),
            ("", "192.0.2.0/24", "192.0.3.0", true), ("", "192.0.2.0/24", "2001:db8::1", true),
            ("192.0.2.128/25", "192.0.2.0/24", "192.0.2.128", true),
            ("192.0.2.128/25", "192.0.2.0/24", "192.0.2.127", false),
            ("192.0.2.0/24", "192.0.2.128/25", "192.0.2.200", false),
            ("192.0.2.0/24", "192.0.2.0/24", "192.0.2.1", false),
            ("0.0.0.0/0 192.0.2.1/32", "192.0.2.0/24", "192.0.2.1", true),
            ("0.0.0.0/0 192.0.2.1/32", "192.0.2.0/24", "192.0.2.2", false),
            ("0.0.0.0/0", "255.255.255.255/32", "255.255.255.255", false),
            ("2001:db8::/32", "2001:db8:1::/48", "2001:db8:1::9", false),
            ("2001:db8::/32", "2001:db8:1::/48", "2001:db8:2::", true), ("::/0", "", "192.0.2.1", false),
        ])
    func decisions(allow: String, deny: String, sender: String, isAdmitted: Bool) {
        #expect(AccessList(allow: networks(allow), deny: networks(deny)).admits(address(sender)) == isAdmitted)
    }

    @Test("a list decides as a search of all its networks", arguments: 1...20)
    func randomLists(seed: UInt64) {
        var state = seed &* 0x9e37_79b9_7f4a_7c15
        func next(_ below: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % below
        }
        func prefix() -> IPPrefix {
            IPPrefix(
                address: .v4(UInt32(next(64)) << 26 | UInt32(next(16))), length: [0, 2, 4, 6, 28, 30, 32][Int(next(7))])
        }
        let allow = (0..<Int(next(6))).map { _ in prefix() }
        let deny = (0..<Int(next(6))).map { _ in prefix() }
        let list = AccessList(allow: allow, deny: deny)
        for _ in 0..<500 {
            let sender = IPAddress.v4(UInt32(next(64)) << 26 | UInt32(next(20)))
            let longest = { (networks: [IPPrefix]) in networks.filter { $0.contains(sender) }.map(\.length).max() }
            let expected: Bool =
                switch (longest(allow), longest(deny)) {
                case (nil, nil): allow.isEmpty
                case (_?, nil): true
                case (nil, _?): false
                case (let allowed?, let denied?): allowed > denied
                }
            #expect(list.admits(sender) == expected, "\(sender) allow \(allow) deny \(deny)")
        }
    }
}
