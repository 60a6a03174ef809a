import CFastPathABI
import DNSWire
import Fixtures
import Foundation
import IPNetworks
import Location
import Resolution
import Simulation
import Steering
import Testing

@Suite("Simulation")
struct SimulationTests {
    private func index(_ name: String, _ model: ServingModel) throws -> Int {
        let wanted = try DomainName(name)
        return try #require(model.tailored.firstIndex { $0.name == wanted })
    }

    /// Indices of the nodes that are nearest, by haversine; more than one where they are equally near.
    private func nearest(_ place: Coordinates, _ nodes: [SteeringNode]) -> [Int] {
        func radians(_ microdegrees: Int32) -> Double { Double(microdegrees) / 1e6 * .pi / 180 }
        let metres = nodes.map { node in
            let (a, b) = (radians(place.latitude), radians(node.coordinates.latitude))
            let width = sin((radians(node.coordinates.longitude) - radians(place.longitude)) / 2)
            let height = sin((b - a) / 2)
            return 2 * 6_371_008.8 * asin(min(1, (height * height + cos(a) * cos(b) * width * width).squareRoot()))
        }
        let least = metres.min() ?? 0
        return metres.indices.filter { metres[$0] <= least + 0.1 }
    }

    @Test("each node has the part of the address space that is nearest to it", arguments: IPFamily.allCases)
    func spread(family: IPFamily) throws {
        let sample = try SampleModel()
        let name = try index("www.example.com", sample.model)
        let simulation = Simulation(
            .addressSpace(family), before: Scenario(sample.model, name: name, family: .v4))
        let nodes = sample.model.steering.nodes
        var (alone, shared) = ([String: UInt64](), [String: UInt64]())
        var total: UInt64 = 0
        var last = 0
        sample.model.location.forEachBlock(family) { _, length, place in
            defer { last = place }
            guard place != 0, family == .v4 || place != last,
                let coordinates = sample.model.places[place].coordinates
            else { return }
            let weight: UInt64 = family == .v4 ? 1 << UInt64(32 - length) : 1
            let nearest = nearest(coordinates, nodes).map { nodes[$0].id }
            total += weight
            if nearest.count == 1 {
                alone[nearest[0], default: 0] += weight
            } else {
                for id in nearest { shared[id, default: 0] += weight }
            }
        }
        let found = simulation.before.nodes.mapValues(\.weight)
        #expect(found.values.reduce(0, +) == total && simulation.before.weight == total)
        for node in nodes.map(\.id) {
            let least = alone[node, default: 0]
            #expect((least...least + shared[node, default: 0]).contains(found[node, default: 0]), "\(node)")
        }
        #expect(alone.count > 5, "the sample spreads")
        #expect(simulation.before.unanswered == 0)
    }

    @Test("when a node goes down only its own clients move")
    func moves() throws {
        let sample = try SampleModel()
        let name = try index("www.example.com", sample.model)
        let before = Scenario(sample.model, name: name, family: .v4)
        let busiest = try #require(
            Simulation(.addressSpace(.v4), before: before).before.nodes.max { $0.value.weight < $1.value.weight })
        let after = Scenario(sample.model, name: name, family: .v4, down: [busiest.key])
        let simulation = Simulation(.addressSpace(.v4), before: before, after: after)
        #expect(simulation.moved == busiest.value.weight)
        #expect(simulation.moves.keys.allSatisfy { $0.from == busiest.key && $0.to != nil })
        #expect(simulation.after?.nodes[busiest.key] == nil)
        #expect(simulation.after?.weight == simulation.before.weight)
    }

    @Test("if all nodes are down and the rule is to refuse, no client is answered")
    func refused() throws {
        let sample = try SampleModel()
        let name = try index("refuse.example.com", sample.model)
        let scenario = Scenario(sample.model, name: name, family: .v4, down: ["node1"])
        let simulation = Simulation(.addressSpace(.v4), before: scenario)
        #expect(simulation.before.unanswered == simulation.before.weight)
        #expect(simulation.before.nodes.isEmpty)
        #expect(simulation.before.distances.mean == nil)
    }

    @Test("a log of queries weighs clients by how often they ask")
    func log() throws {
        let sample = try SampleModel()
        let name = try index("www.example.com", sample.model)
        let address = try #require(IPAddress("192.0.2.1"))
        let groups = [ClientGroup(sender: address, weight: 40), ClientGroup(sender: .v4(0x0a00_0001), weight: 2)]
        let simulation = Simulation(.groups(groups), before: Scenario(sample.model, name: name, family: .v4))
        #expect(simulation.before.weight == 42)
        #expect(simulation.groups == 2)
        #expect(simulation.before.nodes.values.map(\.weight).reduce(0, +) == 42)
    }

    @Test("the map is well-formed for any names of nodes, and marks each of them")
    func map() throws {
        let sample = try SampleModel()
        let name = try index("www.example.com", sample.model)
        let simulation = Simulation(
            .addressSpace(.v4), before: Scenario(sample.model, name: name, family: .v4))
        let marks = [
            WorldMap.Mark(id: "a<b>&", coordinates: Coordinates(latitude: 0, longitude: 180_000_000), note: "1 %"),
            WorldMap.Mark(id: "c", coordinates: Coordinates(latitude: -90_000_000, longitude: 0), note: "2 %"),
        ]
        let svg = WorldMap(simulation.picture, title: "x & y", marks: marks).svg
        #expect(svg.contains("a&lt;b&gt;&amp;") && svg.contains("x &amp; y") && !svg.contains("<b>"))
        #expect(svg.split(separator: "<circle").count == 3)
        #expect(svg.contains("<path fill="))
        // hsl(0,70%,60%) and hsl(137.5,70%,60%); many viewers know the hexadecimal form alone.
        #expect(svg.contains("fill=\"#e05252\"") && svg.contains("fill=\"#52e07b\"") && !svg.contains("hsl"))
    }
}
