import IPNetworks
import Resolution
import Testing

@Suite("Views")
struct ViewsTests {
    private func view(_ id: String, _ clients: String...) -> Views.View {
        Views.View(id: id, clients: clients.compactMap { IPPrefix($0) }, isOverlay: false)
    }

    @Test(
        "the most specific network that holds the sender decides",
        arguments: [
            ("10.1.2.3", 1), ("10.1.3.3", 0), ("10.255.255.255", 0), ("11.0.0.0", nil), ("9.255.255.255", nil),
            ("fd00::1", 1), ("fd00:1::1", 0), ("fe00::1", nil), ("255.255.255.255", 2), ("255.255.255.254", nil),
        ] as [(String, Int?)])
    func specific(client: String, number: Int?) throws {
        let views = Views([
            view("a", "10.0.0.0/8", "fd00:1::/32"), view("b", "10.1.2.0/24", "fd00::/8"),
            view("c", "255.255.255.255/32"),
        ])
        #expect(views.number(of: try #require(IPAddress(client))) == number)
    }

    @Test("without views no sender is in one")
    func none() { #expect(Views().number(of: .v4(0x0a00_0001)) == nil) }

    @Test("with random networks, the longest that holds the address decides", arguments: 1...20)
    func random(seed: UInt64) {
        var state = seed
        func next(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        var seen: Set<IPPrefix> = []
        let views = (0..<4).map { number in
            let clients = (0..<12).compactMap { _ in
                let prefix = IPPrefix(
                    address: .v4(UInt32(next(1 << 8)) << 24 | UInt32(next(4)) << 22), length: Int(next(13)))
                return seen.insert(prefix).inserted ? prefix : nil
            }
            return Views.View(id: "\(number)", clients: clients, isOverlay: false)
        }
        let compiled = Views(views)
        for _ in 0..<2000 {
            let client = IPAddress.v4(UInt32(next(1 << 16)) << 16 | UInt32(next(1 << 16)))
            let holding = views.indices.flatMap { number in
                views[number].clients.filter { $0.contains(client) }.map { (length: $0.length, number: number) }
            }
            #expect(compiled.number(of: client) == holding.max { $0.length < $1.length }?.number)
        }
    }
}
