import CFastPathABI
import DNSWire
import Health
import IPNetworks
import Location
import Resolution
import Simulation
import Steering
import Testing
import Zones

/// Four nodes in a row, a to d, each with a quarter of the clients at its own place: 1,024 networks of 256 addresses.
@Suite("Loads after a failure") struct LoadSimulationTests {
    private static let quarter: UInt64 = 1_024 * 256
    private static let ids = ["a", "b", "c", "d"]

    private static func world() throws -> Scenario {
        let points = [0, 10, 21, 33].map { Coordinates(latitude: 0, longitude: $0 * 1_000_000) }
        let nodes = points.enumerated().map { index, point in
            SteeringNode(
                id: ids[index], slot: index, addresses: [.v4(0xc633_6400 + UInt32(index))], coordinates: point)
        }
        let places = PlaceTable([.unknown] + points.map { Place(coordinates: $0) })
        var ranges = PlaceRanges<UInt32>()
        for network in 0..<4_096 as Range<UInt32> { ranges.set(from: 16 << 24 + network << 8, place: network % 4 + 1) }
        ranges.set(from: 16 << 24 + 4_096 << 8, place: 0)
        let key = SteeringKey(
            members: nodes.indices.map { PoolMember(node: $0, weight: 1) }, tolerance: Tolerance(), family: .v4)
        let rule = nc_rule(
            ttl_min: 5, ttl_max: 300, answers: 1, all_down: UInt8(NC_ALL_DOWN_OPEN.rawValue), ecs: 1, reserved: 0)
        let name = TailoredName(
            name: try DomainName("www.example.com"), rule: rule, v4: 0, v6: nil, pool: "web", policy: "near")
        let model = ServingModel(
            epoch: 1, digest: 1, zones: try ZoneSet([]), tailored: [name],
            steering: try SteeringTables(keys: [key], nodes: nodes, places: places),
            location: try LocationTable(v4: ranges, v6: PlaceRanges<UInt128>()), places: places)
        return Scenario(model, name: 0, family: .v4)
    }

    private func simulate(
        regions: [Region] = [], rules: LoadRules? = LoadRules(), use: Int = 60
    ) throws -> LoadSimulation {
        let rules = Dictionary(uniqueKeysWithValues: Self.ids.compactMap { id in rules.map { (id, $0) } })
        return LoadSimulation(
            .addressSpace(.v4), try Self.world(), .init(down: ["a"], rules: rules, regions: regions, use: use))
    }

    @Test("without regions and loads all clients of a failed node move to its neighbour")
    func plain() throws {
        let found = try simulate(rules: nil)
        #expect(found.capacities.values.allSatisfy { abs($0 - Double(Self.quarter) / 0.6) < 1 })
        for id in Self.ids { #expect(abs((found.use(of: id, found.before) ?? 0) - 0.6) < 1e-9) }
        #expect(found.largest(found.plain)?.node == "b")
        #expect(abs((found.largest(found.plain)?.use ?? 0) - 1.2) < 1e-9)
        #expect(found.settled.spread.nodes["b"]?.weight == 2 * Self.quarter)
        #expect(found.settled.shares.isEmpty && found.rounds == 1)
    }

    @Test("loads settle with no node above the threshold, and neighbours take the clients that were shed")
    func loads() throws {
        let found = try simulate(use: 50)
        #expect(found.rounds < LoadSimulation.maximumRounds)
        // b has 100 %, and sheds two steps of 13 in 256, or three, as its clients' hashes fall; c has room for that.
        let share = found.settled.shares["b"] ?? 0
        #expect(found.settled.shares.count == 1 && [256 - 2 * 13, 256 - 3 * 13].contains(share))
        #expect((found.largest(found.settled)?.use ?? 1) <= 0.91)
        let weights = Self.ids.map { found.settled.spread.nodes[$0]?.weight ?? 0 }
        #expect(abs(Double(weights[1]) / Double(2 * Self.quarter) - Double(share) / 256) < 0.02)
        #expect(weights[0] == 0 && weights[3] == Self.quarter)
        #expect(weights.reduce(0, +) == 4 * Self.quarter)
    }

    @Test("clients that do not fit a neighbour move to the next one")
    func cascade() throws {
        let found = try simulate(use: 60)
        #expect(found.rounds < LoadSimulation.maximumRounds)
        #expect((found.largest(found.plain)?.use ?? 0) > 1.19)
        #expect((found.largest(found.settled)?.use ?? 1) <= 0.93)
        #expect((found.settled.spread.nodes["d"]?.weight ?? 0) > Self.quarter)
    }

    @Test("a region spreads a failed node's clients before any load is reported")
    func region() throws {
        let region = Region(id: "r", members: Self.ids.map { .init(node: $0) }, threshold: 100)
        let found = try simulate(regions: [region], rules: nil)
        #expect(found.regional.shares == ["b": 192, "c": 192, "d": 192])
        // Of a's and b's clients it keeps three quarters; of those that c and d let go, what passes by it first.
        let b = 0.75 * (2 + 0.25 + 0.25 * 0.25)
        #expect(abs((found.use(of: "b", found.regional) ?? 0) / 0.6 - b) < 0.06)
        #expect(found.regional.spread.unanswered == 0)
        #expect(found.settled.shares == found.regional.shares)
    }

    @Test("only the ratio of configured capacities matters, not their unit")
    func capacities() throws {
        let rules = Dictionary(uniqueKeysWithValues: Self.ids.map { ($0, LoadRules(capacity: $0 == "b" ? 5 : 1)) })
        let found = LoadSimulation(
            .addressSpace(.v4), try Self.world(), .init(down: ["a"], rules: rules, regions: [], use: 50))
        let whole = Double(4 * Self.quarter) / 0.5
        #expect(abs((found.capacities["b"] ?? 0) - whole * 5 / 8) < 1)
        #expect(abs((found.capacities["c"] ?? 0) - whole / 8) < 1)
        // c and d are too small for their own clients: these go to b.
        #expect((found.use(of: "c", found.before) ?? 0) > 0.99)
        #expect((found.largest(found.settled)?.use ?? 1) <= 0.92)
    }

    @Test("without enough capacity, every client still gets an answer")
    func shortage() throws {
        let found = try simulate(use: 100)
        #expect(found.settled.spread.unanswered == 0)
        #expect(found.settled.spread.weight == 4 * Self.quarter)
    }
}
