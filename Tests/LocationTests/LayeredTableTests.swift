import CFastPathABI
import IPNetworks
import Location
import Testing

/// Random prefixes that crowd, each with a statement of its own kind.
private struct RandomOverlay {
    var layers: [[(prefix: IPPrefix, statement: PlaceStatement)]] = []

    init(seed: UInt64, family: IPFamily) {
        var random = SplitMix(state: seed)
        for layer in 0..<3 {
            var seen = Set<IPPrefix>()
            layers.append([])
            for index in 0..<150 {
                let length: Int
                let address: IPAddress
                switch family {
                case .v4:
                    length = Int.random(in: 6...32, using: &random)
                    address = .v4(16 << 24 + UInt32.random(in: 0..<(2 << 18), using: &random) << 7)
                case .v6:
                    length = Int.random(in: 12...128, using: &random)
                    address = .v6(0x2400 << 112 + UInt128(UInt64.random(in: 0..<(1 << 20), using: &random)) << 66)
                }
                let prefix = IPPrefix(address: address, length: length)
                guard seen.insert(prefix).inserted else { continue }
                let statement: PlaceStatement =
                    switch index % 4 {
                    case 0: PlaceStatement(isWhole: true, country: "C\(layer)", city: "\(index % 8)")
                    case 1: PlaceStatement(coordinates: Coordinates(latitude: Int32(index), longitude: 0))
                    case 2: PlaceStatement(word: "w\(layer)\(index % 3)")
                    default: PlaceStatement(labels: ["cidr:\(prefix)"])
                    }
                layers[layer].append((prefix, statement))
            }
        }
    }

    /// The place of an address by looking at every prefix.
    func place(_ address: IPAddress, over place: Place) -> Place {
        var said = PlaceStatement.none
        for layer in layers {
            for (prefix, statement) in layer.sorted(by: { $0.prefix.length < $1.prefix.length })
            where prefix.contains(address) {
                said = statement.over(said)
            }
        }
        return said.applied(to: place)
    }

    /// Addresses where errors are likely: at both ends of prefixes, and next to them.
    var edges: [IPAddress] {
        layers.joined().flatMap { prefix, _ -> [IPAddress] in
            switch (prefix.address, prefix.lastAddress) {
            case (.v4(let first), .v4(let last)): [first, first &- 1, last, last &+ 1, first &+ 1].map { .v4($0) }
            case (.v6(let first), .v6(let last)): [first, first &- 1, last, last &+ 1, first &+ 1].map { .v6($0) }
            default: []
            }
        }
    }
}

@Suite("The location table with overrides")
struct LayeredTableTests {
    @Test("every address has the location that a search of all prefixes finds", arguments: 1...4, IPFamily.allCases)
    func agreesWithSearch(seed: Int, family: IPFamily) throws {
        let random = RandomOverlay(seed: UInt64(seed), family: family)
        var layers = PlaceLayers()
        for layer in random.layers { layers.add(layer) }
        let map = layers.applied(to: databaseMap())
        let table = try LocationTable(v4: map.v4, v6: map.v6)
        for address in random.edges {
            let expected = random.place(address, over: databaseMap().place(address))
            let found = table.find(nc_address(address))
            #expect(map.places[Int(found.place)] == expected, "\(address)")
        }
    }

    @Test(
        "scopes stay between their limits, never overlap, and have the location of their first address",
        arguments: 1...4, IPFamily.allCases)
    func scopes(seed: Int, family: IPFamily) throws {
        let random = RandomOverlay(seed: UInt64(seed) + 50, family: family)
        var layers = PlaceLayers()
        for layer in random.layers { layers.add(layer) }
        let map = layers.applied(to: databaseMap())
        let table = try LocationTable(v4: map.v4, v6: map.v6)
        let scopes = family == .v4 ? 16...24 : 32...56
        // What ECS sees of each block at the cap, in order.
        let blocks = Set(random.edges.map { $0.masked(to: scopes.upperBound) }).sorted()
        let found = blocks.map { table.find(nc_address($0)) }
        for (index, block) in blocks.enumerated() {
            let scope = Int(found[index].scope)
            #expect(scopes.contains(scope), "\(block)")
            let leaf = IPPrefix(address: block, length: scope)
            for other in blocks.indices.dropFirst(index + 1) {
                guard leaf.contains(blocks[other]) else { break }
                #expect(found[other].scope == found[index].scope, "\(blocks[other]) in \(leaf)")
                #expect(found[other].place == found[index].place, "\(blocks[other]) in \(leaf)")
            }
        }
    }
}
