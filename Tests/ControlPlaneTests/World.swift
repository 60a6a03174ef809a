import Access
import ConfigurationModel
import ConfigurationYAML
import ControlFailures
import ControlPlane
import DNSWire
import FastPathPlan
import Fixtures
import Foundation
import Health
import Logging
import ManagementClient
import ManagementServer
import ModelCompiler
import Resolution
import StateStore
import Steering
import Synchronization
import Zones

/// Where a revision comes from in these tests: a text in memory, that a test may change or hold back.
final class MemorySource: ModelSource {
    private let text: Mutex<String>
    private let folder: URL
    /// Reading waits for this, when a test holds it.
    private let gate = NSLock()
    private let readings = Atomic(0)
    private let ended = Atomic(0)
    private let faults: Faults

    init(_ text: String, in folder: URL, faults: Faults) {
        self.faults = faults
        self.text = Mutex(text)
        self.folder = folder
    }

    var yaml: String { text.withLock { $0 } }

    func set(_ text: String) { self.text.withLock { $0 = text } }

    /// Holds every reading until `letGo`.
    func hold() { gate.lock() }

    func letGo() { gate.unlock() }

    func configuration() throws(ConfigurationError) -> ServerConfiguration {
        try ServerConfiguration.parse(yaml: yaml, file: "memory.yaml", baseFolder: folder.path)
    }

    /// How many readings have begun, and how many have ended.
    var begunReadings: Int { readings.load(ordering: .relaxed) }
    var endedReadings: Int { ended.load(ordering: .relaxed) }

    func read(_ request: ReadRequest) throws(ControlFailure) -> Revision {
        readings.add(1, ordering: .relaxed)
        defer { ended.add(1, ordering: .relaxed) }
        gate.lock()
        gate.unlock()
        if faults.isDue() { throw ControlFailure(.invalid, "a fault") }
        let configuration: ServerConfiguration
        do throws(ConfigurationError) { configuration = try self.configuration() } catch {
            throw ControlFailure(.invalid, error.problems.map { "\($0)" }.joined(separator: "\n"))
        }
        var slots = request.slots
        do throws(LoadProblem) {
            let loaded = try ModelCompiler.compile(
                configuration, epoch: request.earlier.model.epoch + 1, slots: &slots, earlier: request.earlier,
                changes: request.changes)
            return Revision(
                configuration: configuration, stamp: nil, result: .success(.init(loaded: loaded, slots: slots)))
        } catch {
            return Revision(
                configuration: configuration, stamp: nil,
                result: .failure(ControlFailure(.invalid, error.problems.joined(separator: "\n"))))
        }
    }

    func files(of loaded: LoadedModel, refused: ServerConfiguration?) -> WatchedFiles { WatchedFiles() }
}

/// A control plane without root, kernel and sockets: three nodes, one zone, one geo-steered name.
struct World {
    static let zoneName = "example.com"
    static let zone = """
        $TTL 300
        @ IN SOA ns1 hostmaster 1 3600 900 604800 300
        @ IN NS ns1
        ns1 IN A 192.0.2.53
        host IN A 192.0.2.7
        """
    static let yaml = """
        listen: [127.0.0.1:5300]
        state: state
        fast_path: {mode: off}
        geo: {database: city.mmdb}
        nodes:
          - {id: ber, addresses: [198.51.100.10], location: {latitude: 52.5, longitude: 13.4}}
          - {id: nyc, addresses: [198.51.100.20], location: {latitude: 40.7, longitude: -74}}
        pools:
          - {id: web, nodes: [ber, nyc]}
        policies:
          - {id: nearest}
        zones:
          - {origin: example.com, file: example.com.zone}
        tailored:
          - {name: www.example.com, pool: web, policy: nearest}
        """

    let folder: URL
    let source: MemorySource
    let faults: Faults
    let log = RecordingLog()
    let store: MemoryStore
    let life = LifeCycle()
    let words = NodeWords()
    let fastPath: FakeFastPath
    let slowPath: SlowPath
    let state: StateCell
    let events: EventStream
    let nodes: NodeController
    let publisher: Publisher
    let handover: HandoverController

    /// - Parameters:
    ///   - hasFastPath: whether there is a program.
    ///   - wordStore: the node words; `nil`: those that the slow path reads.
    ///   - handoverLimit: how long a successor may be silent.
    ///   - socket: the control socket, as a handover holds it.
    init(
        hasFastPath: Bool = true, wordStore: (any WordStore)? = nil, earlier: [UInt64: WordsOfNode] = [:],
        kept: [String: KeptNode] = [:], yaml: String = World.yaml, handoverLimit: Duration = .seconds(600),
        socket: FakeSocket? = nil
    ) async throws {
        faults = Faults()
        store = MemoryStore(faults: faults)
        folder = FileManager.default.temporaryDirectory.appending(path: "ncc-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(Self.zone.utf8).write(to: folder.appending(path: "example.com.zone"))
        try Data(MMDBWriter.sample().bytes).write(to: folder.appending(path: "city.mmdb"))
        source = MemorySource(yaml, in: folder, faults: faults)
        store.write([], nodes: kept)
        var slots = SlotTable()
        let configuration = try source.configuration()
        let loaded = try ModelCompiler.compile(configuration, epoch: 1, slots: &slots)
        let logger = Logger(label: "test") { [log] _ in log }
        let buckets = RateBuckets()
        let settings = try ProtocolSettings(configuration, buckets: buckets, logger: logger)
        let image = try FastPathImage(
            loaded.model, configuration, secret: 7,
            speech: ProtocolImage(settings, FastPathSwitches(configuration.fastPath)))
        fastPath = FakeFastPath(hasFastPath ? image : nil, epoch: 1, faults: faults)
        slowPath = SlowPath(ModelResolver(model: loaded.model, words: words, settings: settings))
        let served = Served(loaded: loaded, changes: [:], settings: settings, slots: slots, stamp: nil)
        state = StateCell(DaemonState(served: served))
        events = EventStream(
            after: 0, numbers: { [store] in store.nextNumber() }, to: [{ [store] in store.write($0) }])
        nodes = NodeController(
            words: wordStore ?? words, store: store, earlier: earlier, life: life, events: events, state: state,
            logger: logger)
        let plan = HealthPlan(configuration)
        await nodes.prepare(loaded.model.steering, plan, generation: 0)
        await nodes.commit(epoch: 1)
        _ = await nodes.use(plan)
        publisher = Publisher(
            serving: served, secret: 7,
            parts: .init(
                life: life, events: events, store: store, source: source, nodes: nodes, fastPath: fastPath,
                slowPath: slowPath, words: words, rateBuckets: buckets, useChecks: { _ in },
                reloadCertificates: { [] }, state: state),
            logger: logger)
        handover = HandoverController(
            .init(
                life: life, events: events, publisher: publisher, nodes: nodes, fastPath: fastPath,
                keepAddresses: { _ in }, holdSocket: { socket }),
            limit: handoverLimit, logger: logger)
        life.change { $0.serve() }
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    func writeZone(_ more: String) throws {
        try Data((Self.zone.replacing("hostmaster 1 ", with: "hostmaster 2 ") + "\n" + more + "\n").utf8)
            .write(to: folder.appending(path: "example.com.zone"))
    }

    /// A change of one A record.
    static func change(_ name: String, to address: [UInt8]?) throws -> RecordRequest {
        var change = RRsetChange(owner: try DomainName("\(name).\(zoneName)"), type: .a, ttl: 60)
        if let address { change.records = [address] }
        return RecordRequest(zone: try DomainName(zoneName), changes: [change], author: "ann")
    }

    /// The epoch that both paths answer from; `nil`: they disagree.
    var epoch: UInt64? {
        get async {
            let slow = slowPath.resolver.model.epoch
            guard await fastPath.image != nil else { return slow }
            return await fastPath.epoch == slow ? slow : nil
        }
    }

    /// The addresses of a name, as the slow path's model has them.
    func addresses(_ name: String) throws -> [[UInt8]] {
        let owner = try DomainName("\(name).\(Self.zoneName)")
        let zone = slowPath.resolver.model.zones.zone(of: owner)
        return zone?.rrsets(of: owner).first { $0.type == .a }?.records ?? []
    }
}
