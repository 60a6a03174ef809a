import Access
import CFastPathABI
import ConfigurationModel
import ConfigurationYAML
import ControlFailures
import ControlPlane
import Foundation
import Health
import HealthChecks
import IPNetworks
import ManagementClient
import ManagementServer
import StateStore
import Steering
import Testing

@Suite("The nodes' states, and their one writer")
struct NodeControllerTests {
    private static func order(_ state: HealthState, force: Bool = false) -> NodeOrder {
        NodeOrder(claim: Claim(.person, state, author: "ann"), force: force, author: "ann")
    }

    @Test("a node that leaves is counted out after its word, one that returns is counted in before it")
    func storeOrder() async throws {
        let words = RecordingWords()
        let world = try await World(wordStore: words)
        defer { world.remove() }
        _ = words.takeStores()
        _ = try await world.nodes.apply(Self.order(.down), to: .nodes(["ber"]))
        let leaving = words.takeStores()
        #expect(leaving.first == .word && leaving.count > 1, "\(leaving)")
        _ = try await world.nodes.apply(Self.order(.up), to: .nodes(["ber"]))
        let returning = words.takeStores()
        #expect(returning.last == .word && returning.count > 1, "\(returning)")
    }

    @Test("an order is one event for each node that changed, and kept with it")
    func events() async throws {
        let world = try await World()
        defer { world.remove() }
        let outcome = try await world.nodes.apply(Self.order(.drained, force: true), to: .all)
        #expect(outcome.nodes == ["ber", "nyc"] && outcome.changed == 2)
        let transitions = world.events.recent(after: 0)?.compactMap(\.transition)
        #expect(
            transitions?.map(\.node).sorted() == ["ber", "nyc"]
                && transitions?.allSatisfy { $0.author == "ann" } == true)
        #expect(world.store.records.map(\.to) == ["drained", "drained"])
        #expect(world.store.nodes["ber"]?.claims.map(\.state) == ["drained"])
        let view = try #require(world.state.current.nodes)
        #expect(view.entries.values.allSatisfy { HealthState(word: view.word(of: $0)) == .drained })
        #expect(view.transitions == 2)
        let kinds = world.events.recent(after: 0)?.filter {
            if case .poolEmpty("web", nil) = $0.kind { true } else { false }
        }
        #expect(kinds?.count == 1)
    }

    @Test("the last usable node of a pool stays, and nothing has changed then")
    func lastOfPool() async throws {
        let world = try await World()
        defer { world.remove() }
        await #expect(throws: ControlFailure.self) { try await world.nodes.apply(Self.order(.drained), to: .all) }
        #expect(world.events.recent(after: 0)?.isEmpty == true && world.store.records.isEmpty)
    }

    @Test("a family that fails leaves its own answers, is announced with its name, and is known after a restart")
    func family() async throws {
        let world = try await World()
        defer { world.remove() }
        let yaml =
            World.yaml.replacing("[198.51.100.10]", with: #"[198.51.100.10, "2001:db8::1"]"#)
            + "\nhealth: {interval: 1s, fall: 1, rise: 1, slow_start: 0s, checks: [{type: tcp, port: 80}]}"
        let configuration = try ServerConfiguration.parse(yaml: yaml, file: "c", baseFolder: world.folder.path)
        _ = await world.nodes.use(HealthPlan(configuration))
        let checks = configuration.nodes[0].health.checks
        await world.nodes.take([
            .heartbeat(of: "ber", checks[0], passed: true, evidence: "connected", at: .now),
            .heartbeat(of: "ber", checks[1], passed: false, evidence: "connection refused", at: .now),
        ])
        let entry = try #require(world.state.current.nodes?.entries["ber"])
        let states = IPFamily.answered.map { HealthState(word: world.words.word(entry.node.slot, $0)) }
        #expect(states == [.up, .up, .down])
        let change = try #require(world.store.records.last)
        #expect(change.family == "IPv6" && change.to == "down" && change.evidence?.contains("refused") == true)
        #expect(world.store.nodes["ber"]?.verdict == "IPv4 up, IPv6 down")
        let kept = KeptVerdict("IPv4 up, IPv6 down")
        #expect(kept?.verdict == .up && kept?.families == [.v4: .up, .v6: .down])
        #expect(KeptVerdict("IPv5 up") == nil && KeptVerdict("gone") == nil)
    }

    @Test("an order that cannot be kept is made, and says so")
    func unkept() async throws {
        let world = try await World()
        defer { world.remove() }
        world.store.fail(true)
        let failure = await #expect(throws: ControlFailure.self) {
            try await world.nodes.apply(Self.order(.down), to: .nodes(["ber"]))
        }
        #expect(failure?.code == .internal && failure?.message.contains("ber is down now") == true)
    }

    @Test("during a handover nothing changes, and everything is written for the successor")
    func handover() async throws {
        let world = try await World()
        defer { world.remove() }
        let one = ProcessIdentity(pid: 1, startedAt: 1)
        _ = try world.life.change { life in
            Result { try life.ask(one, at: .now, limit: .seconds(60), isAlive: { _ in true }) }
        }.get()
        await world.nodes.handOver()
        #expect(world.store.nodes.keys.sorted() == ["ber", "nyc"])
        await #expect(throws: ControlFailure.self) {
            try await world.nodes.apply(Self.order(.down), to: .nodes(["ber"]))
        }
    }

    @Test("after a handover that failed the words are this daemon's again")
    func takingBack() async throws {
        let world = try await World()
        defer { world.remove() }
        let slot = try #require(world.state.current.nodes?.entries["ber"]?.node.slot)
        // The successor's.
        world.words.store(slot, nc_node_word(NC_NODE_DOWN.rawValue, 0, 5, 77))
        await world.nodes.takeBack()
        #expect(HealthState(word: world.words.word(slot, .v4)) == .up)
    }

    @Test("the word of an earlier run does not outlive the override that it showed")
    func earlierWords() async throws {
        let probe = try await World()
        let hash = try #require(probe.state.current.nodes?.entries["ber"]?.node.idHash)
        probe.remove()
        let drained = nc_node_word(NC_NODE_DRAINED.rawValue, 0, 5, 3)
        // An override for four seconds, which has ended: the word shows it still.
        let claim = KeptClaim(
            authority: "person", state: "drained", share: 0, begins: nil, ends: 1, isForced: false, hasBegun: true,
            author: "ann")
        let world = try await World(
            earlier: [hash: WordsOfNode(drained)], kept: ["ber": KeptNode(slot: 0, claims: [claim])])
        defer { world.remove() }
        let slot = try #require(world.state.current.nodes?.entries["ber"]?.node.slot)
        #expect(HealthState(word: world.words.word(slot, .v4)) == .up)
        // Without anything kept, the word is all that is known.
        let other = try await World(earlier: [hash: WordsOfNode(drained)])
        defer { other.remove() }
        #expect(HealthState(word: other.words.word(slot, .v4)) == .drained)
    }
}
