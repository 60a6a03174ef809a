import BPFRuntime
import CFastPathABI
import FastPath
import Fixtures
import Glibc
import MapWriter
import Serving
import Steering
import Testing

private let xdpPass: UInt32 = 2
private let xdpTransmit: UInt32 = 3

/// The live program over the maps of a model, beside the resolver of the same model and the same words.
final class BothPaths {
    /// Apart from a daemon's, and from other tests'.
    private let pins = PinnedFastPath(root: "\(BPFFileSystem.root)/nearcast-test-\(getpid())-parity")
    let maps: FastPathMaps
    private(set) var resolver: ModelResolver
    let model: ServingModel
    private let settings: ProtocolSettings

    init(_ sample: @autoclosure () throws -> SampleModel = try SampleModel()) throws {
        let sample = try sample()
        model = sample.model
        let image = try FastPathImage(model, services: SampleModel.services, secret: 0x5ec2e7)
        maps = try FastPathMaps(sizedFor: image, pins: pins)
        for node in model.steering.nodes { maps.words.store(node.slot, sample.words.word(node.slot)) }
        try maps.publish(image)
        // With everything that a reply can carry, so that what the program answers itself shows when it lacks it.
        guard let secret = CookieSecret(Array(0..<16)) else { preconditionFailure("a secret has 16 bytes") }
        settings = ProtocolSettings(
            identity: ServerIdentity(nsid: Array("fra1".utf8), hostname: "fra1", version: "1", tellsDigest: true),
            cookies: CookieKeys(secrets: [secret], isRequired: true), keepalive: 100)
        resolver = ModelResolver(model: model, words: maps.words, settings: settings)
    }

    /// Makes both paths answer as a program whose daemon is gone for longer than it may be (`seconds`: what addresses may be
    /// kept then), or as one whose daemon has just given a sign. The clock that matters is the sign's.
    func forget(seconds: UInt32?) {
        maps.beat(at: seconds == nil ? UInt64(Int64.max) : 0)
        maps.watch(FastPathMaps.Staleness(nanoseconds: 1, ttl: seconds ?? 1))
        resolver = ModelResolver(model: model, words: maps.words, settings: settings, ttlLimit: seconds ?? .max)
    }

    deinit { _ = try? pins.removeAll() }

    /// Gives a node a state, with the census that goes with it.
    func set(_ slot: Int, _ state: nc_node_state, share: UInt32 = 256, ttl: UInt32 = NC_TTL_STABLE) {
        maps.words.store(slot, nc_node_word(state.rawValue, share, ttl, 0))
        for table in model.steering.tables.indices {
            maps.words.storeCensus(
                generation: maps.generation, table: table, model.steering.census(of: table, word: maps.words.word))
        }
    }

    /// Runs a frame through the program. What it transmits must be the resolver's message, addressed back; what it
    /// passes must be untouched.
    ///
    /// - Returns: whether it was transmitted.
    func compare(_ frame: Frame) throws -> Bool {
        let bytes = frame.bytes
        let run = try maps.program.testRun(packet: bytes)
        guard run.returnValue == xdpTransmit else {
            #expect(run.returnValue == xdpPass)
            #expect(run.packet == bytes, "a packet passed up must be as it came")
            return false
        }
        let reply = try #require(Frame(bytes: run.packet), "reply to \(bytes) has a wrong length or checksum")
        var expected: [UInt8] = []
        _ = frame.message.withUnsafeBytes {
            resolver.respond(to: $0, from: frame.source, over: .udp, at: 1_700_000_000, into: &expected)
        }
        #expect(reply.message == expected, "query \(frame.message) from \(frame.source)")
        #expect(reply.source == frame.destination && reply.destination == frame.source)
        #expect(reply.sourcePort == frame.destinationPort && reply.destinationPort == frame.sourcePort)
        #expect(run.packet[0..<12] == (Frame.clientMAC + Frame.serverMAC)[...])
        return true
    }
}
