import CFastPathABI
import DNSWire
import Fixtures
import IPNetworks
import Location
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
                // Simulation asks as senders in views too.
                guard name.views.isEmpty else { continue }
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

    private static let down: Set = ["node3", "node7", "node11"]
    private static let shares = ["node5": 64, "node12": 200]

    @Test("is what the clients really get, for every policy, family and state of nodes")
    func exact() throws {
        let (sample, other) = (try Self.sample.get(), try Self.other.get())
        let (before, after) = (try Self.model(sample, in: sample), try Self.model(other, in: sample))
        let effect = try #require(
            ChangeEffect(from: before, to: after, words: Self.words(down: Self.down, shares: Self.shares)))
        #expect(effect.parts.contains { $0.moved > 0 } && effect.parts.contains { $0.names.count > 1 })
        try expectAlike(effect, before, after, down: Self.down, shares: Self.shares)
        // What it does not measure is named.
        let views = effect.unmeasured.filter { $0.hasSuffix(" in views") }
        #expect(views.count == before.tailored.count { !$0.views.isEmpty } && !views.isEmpty)
        #expect(effect.unmeasured.count > views.count, "records of other types")
        #expect(effect.readdressed.count == before.steering.nodes.count)
    }

    @Test("where the locations differ too, each client moves from where one model has it to where the other has it")
    func otherLocations() throws {
        let (sample, other) = (try Self.sample.get(), try Self.elsewhere.get())
        let (before, after) = (try Self.model(sample, in: sample), try Self.model(other, in: other))
        let effect = try #require(
            ChangeEffect(from: before, to: after, words: Self.words(down: Self.down, shares: Self.shares)))
        // The deepest leaf there is.
        var located: Set<UInt32> = []
        for model in [before, after] {
            model.location.forEachBlock(.v4) { first, length, place in
                guard place != 0 else { return }
                let start = UInt32(first.hi >> 40)
                for block in start..<start + (1 << UInt32(24 - length)) { located.insert(block) }
            }
        }
        let clients = Clients.groups(
            located.map { block in
                let address = IPAddress.v4(block << 8)
                return ClientGroup(
                    sender: address, subnet: ClientSubnet(address: address, sourceLength: 24), weight: 256)
            })
        for text in ["www.example.com", "bands.example.com", "rules.example.com"] {
            let name = try DomainName(text)
            let part = try #require(effect.parts.first { $0.names.first == name && $0.family == .v4 })
            let index = try #require(before.tailored.firstIndex { $0.name == name })
            let expected = Simulation(
                clients,
                before: Scenario(before, name: index, family: .v4, down: Self.down, shares: Self.shares),
                after: Scenario(after, name: index, family: .v4, down: Self.down, shares: Self.shares))
            #expect(Self.moves(part) == Self.text(expected.moves), "\(text)")
            #expect(part.clients == UInt64(located.count) * 256)
        }
        #expect(effect.parts.contains { $0.family == .v6 && $0.moved > 0 })
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
