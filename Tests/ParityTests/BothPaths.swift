import BPFRuntime
import CFastPathABI
import FastPathDriver
import FastPathObject
import FastPathPlan
import Fixtures
import Glibc
import IPNetworks
import Resolution
import Steering
import Testing

private let xdpDrop: UInt32 = 1
private let xdpPass: UInt32 = 2
private let xdpTransmit: UInt32 = 3

/// The program over the maps of a model, and the resolver of the same model and the same node words.
final class BothPaths {
    /// Apart from a daemon's, and from other tests'.
    private let pins = PinnedFastPath(root: "\(BPFFileSystem.root)/nearcast-test-\(getpid())-parity")
    let maps: FastPathMaps
    private(set) var resolver: ModelResolver
    private(set) var model: ServingModel
    private let settings: ProtocolSettings
    private let switches: FastPathSwitches

    /// The second that both paths live in.
    static let second: UInt32 = 1_700_000_000

    /// Everything that a reply can carry, so that what the program answers itself shows when it lacks it.
    static func settings(
        nsid: [UInt8]? = Array("fra1".utf8), requiresCookie: Bool = true, rateLimit: ResponseRateLimit? = nil
    ) -> ProtocolSettings {
        ProtocolSettings(
            identity: ServerIdentity(nsid: nsid, hostname: "fra1", version: "1", tellsDigest: true),
            cookies: CookieKeys(
                secrets: TestCookie.secrets.compactMap { CookieSecret($0) }, isRequired: requiresCookie),
            keepalive: 100, rateLimit: rateLimit)
    }

    init(
        _ sample: @autoclosure () throws -> SampleModel = try SampleModel(),
        settings: ProtocolSettings = BothPaths.settings(), switches: FastPathSwitches = FastPathSwitches(),
        object: [UInt8] = FastPathObject.bytes
    ) throws {
        let sample = try sample()
        model = sample.model
        let image = try FastPathImage(
            model, services: SampleModel.services, secret: 0x5ec2e7, speech: ProtocolImage(settings, switches))
        maps = try FastPathMaps(sizedFor: image, pins: pins, object: object)
        for node in model.steering.nodes { maps.words.store(node.slot, sample.words.word(node.slot, nil)) }
        try maps.publish(image)
        self.settings = settings
        self.switches = switches
        maps.stopClock(at: Self.second)
        resolver = ModelResolver(model: model, words: maps.words, settings: settings)
    }

    /// Makes both paths answer as a program whose daemon is gone for longer than it may be (`seconds`: what addresses may be
    /// kept then), or as one whose daemon has just given a sign. The clock that matters is the sign's.
    func forget(seconds: UInt32?) {
        maps.beat(at: seconds == nil ? UInt64(Int64.max) : 0)
        maps.watch(FastPathMaps.Staleness(nanoseconds: 1, ttl: seconds ?? 1))
        resolver = ModelResolver(model: model, words: maps.words, settings: settings, ttlLimit: seconds ?? .max)
    }

    /// Makes both paths answer by another model of the same nodes, in the next generation.
    func publish(_ model: ServingModel) throws {
        try maps.publish(
            try FastPathImage(
                model, services: SampleModel.services, secret: 0x5ec2e7, speech: ProtocolImage(settings, switches)))
        self.model = model
        resolver = ModelResolver(model: model, words: maps.words, settings: settings)
    }

    deinit { _ = try? pins.removeAll() }

    /// The program's count of answers that led to a node, by its slot, when it was read last.
    private var counts: [Int: UInt64] = [:]
    /// Answers in `compare` that led to each node, by its slot, as the resolver says.
    private(set) var answers: [Int: UInt64] = [:]

    /// Gives a node a state, or one of its families, with the census that goes with it.
    func set(
        _ slot: Int, _ state: nc_node_state, share: UInt32 = 256, ttl: UInt32 = NC_TTL_STABLE,
        families: [IPFamily?] = IPFamily.answered
    ) {
        for family in families { maps.words.store(slot, family, nc_node_word(state.rawValue, share, ttl, 0)) }
        storeCensus()
    }

    /// Counts the usable nodes of every table again.
    func storeCensus() {
        for table in model.steering.tables.indices {
            maps.words.storeCensus(
                generation: maps.generation, table: table, model.steering.census(of: table, word: maps.words.word))
        }
    }

    /// Runs a frame through the program. What it transmits must be the resolver's message, addressed back; what it
    /// passes must be untouched; what it drops the resolver drops.
    ///
    /// - Returns: whether it was the program's.
    func compare(_ frame: Frame) throws -> Bool {
        let bytes = frame.bytes
        let run = try maps.program.testRun(packet: bytes)
        guard run.returnValue == xdpTransmit || run.returnValue == xdpDrop else {
            #expect(run.returnValue == xdpPass)
            #expect(run.packet == bytes, "a packet passed up must be as it came")
            return false
        }
        var expected: [UInt8] = []
        var node: Int?
        _ = frame.message.withUnsafeBytes {
            resolver.respond(
                to: $0, from: frame.source, port: frame.sourcePort, over: .udp, at: Self.second, into: &expected,
                leadingTo: &node)
        }
        guard run.returnValue == xdpTransmit else {
            #expect(expected.isEmpty, "query \(frame.message) from \(frame.source)")
            return true
        }
        let reply = try #require(Frame(bytes: run.packet), "reply to \(bytes) has a wrong length or checksum")
        #expect(reply.message == expected, "query \(frame.message) from \(frame.source)")
        #expect(reply.tags == frame.tags)
        #expect(reply.source == frame.destination && reply.destination == frame.source)
        #expect(reply.sourcePort == frame.destinationPort && reply.destinationPort == frame.sourcePort)
        if let node {
            let counted = try maps.readAnswers(of: [node])[0]
            #expect(counted > counts[node, default: 0], "node \(node), query \(frame.message) from \(frame.source)")
            counts[node] = counted
            answers[node, default: 0] += 1
        }
        #expect(run.packet[0..<12] == (Frame.clientMAC + Frame.serverMAC)[...])
        return true
    }

    /// Whether the program has counted the answers that led to each node as the resolver says. All its runs must have been
    /// those of `compare`.
    func checkAnswersByNode() throws {
        let slots = model.steering.nodes.map(\.slot)
        #expect(try maps.readAnswers(of: slots) == slots.map { answers[$0, default: 0] })
    }

    /// What came of all frames, for people.
    func nonzeroCounters() throws -> String {
        try zip(FastPathCounter.names, maps.readCounters()).filter { $0.1 > 0 }.map { "\($0.0) \($0.1)" }
            .joined(separator: ", ")
    }

    func counter(_ name: String) throws -> UInt64 {
        let index = try #require(FastPathCounter.names.firstIndex(of: name))
        return try maps.readCounters()[index]
    }
}
