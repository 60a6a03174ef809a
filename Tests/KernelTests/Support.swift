import BPFRuntime
import CFastPathABI
import FastPathDriver
import FastPathPlan
import Fixtures
import Foundation
import Glibc
import IPNetworks
import Resolution
import Steering
import Testing

/// Everything that answers over a real interface, one test at a time. The suites run on the main thread: they block, and
/// would starve tests of other targets that wait for tasks of the pool's few threads.
@Suite("Kernel", .serialized)
enum Kernel {}

/// A model's fast path on the server's side of a lab, pinned below a folder of its own.
final class LiveFastPath {
    let lab: NetworkLab
    let pins: PinnedFastPath
    let model: ServingModel
    let resolver: ModelResolver
    /// Words the resolver reads; not those of the maps, so that the maps can go.
    let words: NodeWords
    private(set) var maps: FastPathMaps?

    static let known4 = "17.0.2.3"
    static let known6 = "2400::1:2:3"

    /// - Parameter name: distinguishes labs of one process.
    init(_ name: String, _ mode: XDPMode = .native) throws {
        try #require(geteuid() == 0, "programs are attached by root: run as root")
        lab = try NetworkLab(name)
        pins = PinnedFastPath(root: "\(BPFFileSystem.root)/nearcast-test-\(getpid())-\(name)")
        let sample = try SampleModel()
        (model, words) = (sample.model, sample.words)
        resolver = ModelResolver(model: model, words: words)
        try lab.addClients([Self.known4, Self.known6])
        let maps = try load()
        self.maps = maps
        let attachment = try attach(maps, [mode])
        try #require(attachment.mode == mode, "\(attachment.reason)")
    }

    deinit {
        do { _ = try pins.removeAll() } catch { Issue.record(error) }
    }

    /// A further program, filled with the model and not attached.
    func load() throws -> FastPathMaps {
        let image = try FastPathImage(model, services: SampleModel.services, secret: 0x5ec2e7)
        let maps = try FastPathMaps(sizedFor: image, pins: pins)
        for node in model.steering.nodes { maps.words.store(node.slot, words.word(node.slot, nil)) }
        try maps.publish(image)
        return maps
    }

    func attach(_ maps: FastPathMaps, _ modes: [XDPMode]) throws -> FastPathDriver.Attachment {
        // The caller waits for the thread that uses it.
        nonisolated(unsafe) let maps = maps
        return try inNetworkNamespace(lab.server) {
            try maps.attach(to: NetworkLab.serverInterface, modes: modes)
        }
    }

    /// Closes what this process holds of the program; what is pinned stays.
    func release() { maps = nil }

    func counter(_ name: String) throws -> UInt64 {
        let index = try #require(FastPathCounter.names.firstIndex(of: name))
        return try #require(maps).readCounters()[index]
    }

    /// Gives a node a state, for both paths.
    func set(_ slot: Int, _ state: nc_node_state) throws {
        let maps = try #require(maps)
        let word = nc_node_word(state.rawValue, UInt32(NC_SHARE_FULL), NC_TTL_STABLE, 0)
        words.store(slot, word)
        maps.words.store(slot, word)
        for table in model.steering.tables.indices {
            maps.words.storeCensus(
                generation: maps.generation, table: table, model.steering.census(of: table, word: words.word))
        }
    }

    func client(_ source: String, to server: SocketEndpoint) throws -> DNSClient {
        try DNSClient(in: lab.client, from: address(source), to: server)
    }

    /// The resolver's message for a query.
    func expected(_ query: [UInt8], from source: String) throws -> [UInt8] {
        answer(resolver, query, try address(source))
    }
}

func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

func answer(_ resolver: ModelResolver, _ query: [UInt8], _ client: IPAddress) -> [UInt8] {
    var reply: [UInt8] = []
    _ = query.withUnsafeBytes { resolver.respond(to: $0, from: client, over: .udp, into: &reply) }
    return reply
}

/// A query for a name, with a client subnet or without EDNS.
func query(_ name: String, type: UInt16 = 1, id: UInt16 = 0x1234, subnet: (IPAddress, Int)? = nil) -> [UInt8] {
    var builder = QueryBuilder(name, type: type)
    builder.id = id
    if let subnet {
        builder.opt = QueryBuilder.OPT()
        builder.opt?.add(subnet: subnet.0, length: subnet.1)
    }
    return builder.message
}
