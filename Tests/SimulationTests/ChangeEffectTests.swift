import CFastPathABI
import DNSWire
import Fixtures
import IPNetworks
import Resolution
import Simulation
import Steering
import Testing

@Suite("Effect of a change")
struct ChangeEffectTests {
    // Made once: they take seconds without optimisation.
    private static let sample = Result { try SampleModel() }
    private static let other = Result { try SampleModel(variant: 1) }
    private static let elsewhere = Result { try SampleModel(variant: 1, displacement: 7) }

    /// The states of the sample's nodes, all up but these.
    private static func words(down: Set<String> = [], shares: [String: Int] = [:]) throws -> NodeWords {
        let words = NodeWords()
        for node in try sample.get().model.steering.nodes {
            let share = UInt32(shares[node.id] ?? Int(NC_SHARE_FULL))
            let usable = share < UInt32(NC_SHARE_FULL) ? NC_NODE_DEGRADED : NC_NODE_UP
            let state = down.contains(node.id) ? NC_NODE_DOWN : usable
            words.store(node.slot, nc_node_word(state.rawValue, share, NC_TTL_STABLE, 1))
            words.storeIDHash(node.slot, node.idHash)
        }
        return words
    }

    /// The steering of a sample, in the world of another. A further name shares the tables of one of its names.
    private static func model(
        _ sample: SampleModel, in world: SampleModel, twinOf name: String = "www.example.com"
    ) throws -> ServingModel {
        let (model, wanted) = (sample.model, try DomainName(name))
        let first = try #require(model.tailored.first { $0.name == wanted })
        let twin = TailoredName(name: try DomainName("twin.example.com"), choice: first.choice)
        return ServingModel(
            epoch: 2, digest: 2, zones: model.zones, tailored: model.tailored + [twin],
            tailoredRecords: model.tailoredRecords, views: model.views, steering: model.steering,
            location: world.model.location, places: world.model.places)
    }

    private static func moves(_ part: ChangeEffect.Part) -> [String: UInt64] {
        text(part.moves)
    }

    private static func text(_ moves: [Simulation.Move: UInt64]) -> [String: UInt64] {
        Dictionary(uniqueKeysWithValues: moves.map { ("\($0.key.from ?? "-")>\($0.key.to ?? "-")", $0.value) })
    }

    /// Every name and family, client by client.
    private func expectAlike(
        _ effect: ChangeEffect, _ before: ServingModel, _ after: ServingModel, down: Set<String>, shares: [String: Int]
    ) throws {
        var firsts: [String: ChangeEffect.Part] = [:]
        var known: Set<String> = []
        for part in effect.parts {
            firsts["\(part.names[0]) \(part.family)"] = part
            for name in part.names { #expect(known.insert("\(name) \(part.family)").inserted) }
        }
        for (index, name) in before.tailored.enumerated() {
            let other = try #require(after.tailored.firstIndex { $0.name == name.name })
            for family in IPFamily.allCases {
                let key = "\(name.name) \(family)"
                guard firsts[key] != nil || !known.contains(key) else { continue }
                let expected = Simulation(
                    .addressSpace(family),
                    before: Scenario(before, name: index, family: family, down: down, shares: shares),
                    after: Scenario(after, name: other, family: family, down: down, shares: shares))
                guard let part = firsts[key] else {
                    #expect(expected.moved == 0, "\(key) moves")
                    continue
                }
                #expect(Self.moves(part) == Self.text(expected.moves), "\(key)")
                #expect(part.clients == expected.before.weight)
                #expect(part.before.unanswered == expected.before.unanswered)
                #expect(part.after.unanswered == expected.after?.unanswered)
                #expect(part.before.nodes == expected.before.nodes.mapValues(\.weight), "\(key)")
                #expect(part.after.nodes == expected.after?.nodes.mapValues(\.weight), "\(key)")
                #expect(part.after.p95Kilometres == expected.after?.distances.percentile(0.95))
                let (mean, wanted) = (part.before.meanKilometres ?? 0, expected.before.distances.mean ?? 0)
                #expect(abs(mean - wanted) <= wanted * 1e-9)
            }
        }
    }

    @Test(
        "is what the clients really get, for every policy, family, view and state of nodes", arguments: [false, true])
    func exact(otherLocations: Bool) throws {
        let (sample, other) = (try Self.sample.get(), try otherLocations ? Self.elsewhere.get() : Self.other.get())
        let before = try Self.model(sample, in: sample)
        let after = try Self.model(other, in: otherLocations ? other : sample)
        let down: Set = ["node3", "node7", "node11"]
        let shares = ["node5": 64, "node12": 200]
        let effect = try #require(ChangeEffect(from: before, to: after, words: Self.words(down: down, shares: shares)))
        #expect(effect.parts.contains { $0.moved > 0 } && effect.parts.contains { $0.names.count > 1 })
        try expectAlike(effect, before, after, down: down, shares: shares)
    }

    @Test("a model that decides alike has none, whatever the numbers of its nodes and tables")
    func none() throws {
        let (sample, again) = (try Self.sample.get(), try SampleModel())
        let effect = ChangeEffect(
            from: try Self.model(sample, in: sample), to: try Self.model(again, in: sample), words: try Self.words())
        #expect(try #require(effect).parts.isEmpty)
    }

    @Test("clients that lose their answer are counted, and those that had none are not")
    func cut() throws {
        let (sample, twin) = (try Self.sample.get(), try DomainName("twin.example.com"))
        let (answered, silent) = (
            try Self.model(sample, in: sample), try Self.model(sample, in: sample, twinOf: "v4only.example.com")
        )
        func part(_ before: ServingModel, _ after: ServingModel) throws -> ChangeEffect.Part {
            let effect = try #require(ChangeEffect(from: before, to: after, words: Self.words()))
            #expect(effect.parts.allSatisfy { $0.names == [twin] })
            return try #require(effect.parts.first { $0.family == .v6 })
        }
        let lost = try part(answered, silent)
        #expect(lost.cut == lost.clients && lost.clients > 0 && lost.after.unanswered == lost.clients)
        let gained = try part(silent, answered)
        #expect(gained.cut == 0 && gained.moved == gained.clients && gained.before.unanswered == gained.clients)
    }

    @Test("stops when it is told to")
    func stopped() throws {
        let (sample, other) = (try Self.sample.get(), try Self.other.get())
        var calls = 0
        let effect = ChangeEffect(
            from: sample.model, to: try Self.model(other, in: sample), words: try Self.words()
        ) { _ in
            calls += 1
            return calls < 3
        }
        #expect(effect == nil && calls == 3)
    }
}
