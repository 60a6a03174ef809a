import BPFRuntime
import CFastPathABI
import FastPathDriver
import FastPathPlan
import Fixtures
import Foundation
import IPNetworks
import Resolution
import Steering
import Testing

/// Both paths side by side, for as long as one wants: `make parity` takes a minute, `make parity-long` an hour.
///
/// Queries of all kinds, every fourth frame bent, every eighth in its headers alone, and between them other states of the nodes and other generations. What
/// they disagree about is printed, with the bytes and the nodes' words that a test needs.
@Suite("Differential parity", .serialized) @MainActor
struct DifferentialTests {
    /// A server's settings, and its share of the time.
    enum Server: String, CaseIterable {
        case strict, open, limited, reserved

        var settings: ProtocolSettings {
            switch self {
            case .strict: BothPaths.settings()
            case .open:
                BothPaths.settings(nsid: Array(repeating: 0x41, count: 128), requiresCookie: false)
            case .limited:
                BothPaths.settings(
                    requiresCookie: false,
                    rateLimit: ResponseRateLimit(
                        RateLimitRule(
                            responsesPerSecond: 40, errorsPerSecond: 10, slip: 3, v4PrefixLength: 7, isDryRun: false),
                        exempt: [], secret: 7))
            case .reserved: ProtocolSettings()
            }
        }

        var switches: FastPathSwitches {
            var switches = FastPathSwitches()
            switches.cutsReplies = self != .reserved
            switches.answersTagged = self != .reserved
            return switches
        }
    }

    /// Of each server. The environment's seconds are for all of them together.
    private static let seconds =
        (ProcessInfo.processInfo.environment["NEARCAST_PARITY_SECONDS"].flatMap(Double.init) ?? 4) / 4

    private static let seed =
        ProcessInfo.processInfo.environment["NEARCAST_PARITY_SEED"].flatMap(UInt64.init) ?? 1

    private static let packetsPerState = 200
    /// However slow the machine: by then everything has occurred.
    private static let leastPackets = 4000
    private static let packetsPerGeneration = 10_000
    private static let mostDisagreements = 5

    init() throws {
        try #require(geteuid() == 0, "parity runs the program in the kernel: run as root")
    }

    @Test("the program and the resolver agree on every random frame", arguments: Server.allCases)
    func agreement(server: Server) throws {
        let models = try [
            SampleModel(longName: true), SampleModel(epoch: 2, variant: 1, displacement: 77, longName: true),
        ]
        let paths = try BothPaths(models[0], settings: server.settings, switches: server.switches)
        // Test runs come by the loopback interface.
        paths.maps.setStation(links: [1: Frame.serverMAC], addresses: HeaderMutation.own)
        var run = Run(seed: Self.seed)
        let began = ContinuousClock.now
        func goesOn() -> Bool {
            run.disagreements < Self.mostDisagreements
                && (run.packets < Self.leastPackets || ContinuousClock.now - began < .seconds(Self.seconds))
        }
        while goesOn() {
            if run.packets % Self.packetsPerGeneration == 0 {
                try paths.publish(models[run.packets / Self.packetsPerGeneration % 2].model)
            }
            run.shuffle(paths)
            for _ in 0..<Self.packetsPerState { try run.step(paths) }
        }
        report(server.rawValue, run, since: began)
        #expect(run.disagreements == 0)
        #expect(run.transmitted * 10 > run.packets, "most frames are left to user space")
        let answers: [(String, Bool)] = [
            ("static", true), ("truncated", server != .reserved), ("rate_slipped", server == .limited),
            ("bad_cookie", server == .strict), ("pass_datagram", true), ("all_down", true),
        ]
        for (counter, isExpected) in answers where isExpected { #expect(try paths.counter(counter) > 0, "\(counter)") }
    }

    @Test("they agree over a real interface, where frames grow at their head")
    func overVeth() throws {
        let lab = try NetworkLab("parity")
        let model = try SampleModel(longName: true)
        let paths = try BothPaths(model, settings: Server.open.settings)
        // The caller waits for the thread that uses it.
        nonisolated(unsafe) let maps = paths.maps
        _ = try inNetworkNamespace(lab.server) {
            try maps.attach(to: NetworkLab.serverInterface, modes: [.native])
        }
        let link = try RawLink(in: lab.client, on: NetworkLab.clientInterface)
        var run = Run(seed: Self.seed &+ 77)
        let began = ContinuousClock.now
        while ContinuousClock.now - began < .seconds(Self.seconds / 2), run.disagreements < Self.mostDisagreements {
            run.shuffle(paths)
            for _ in 0..<Self.packetsPerState { try run.step(paths, over: link) }
        }
        report("veth", run, since: began)
        #expect(run.disagreements == 0)
        #expect(run.transmitted > 50)
    }

    private func report(_ title: String, _ run: Run, since began: ContinuousClock.Instant) {
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        print(
            "parity, \(title): \(run.packets) frames, \(run.transmitted) the program's, \(run.disagreements) disagreements,"
        )
        print("  \(Int(Double(run.packets) / seconds)) a second")
    }
}

/// A run under way: what was asked, and what came of it.
@MainActor
private struct Run {
    private(set) var packets = 0
    private(set) var transmitted = 0
    private(set) var disagreements = 0
    private var withoutRoom: UInt64 = 0
    private let seed: UInt64
    private var mixture: QueryMixture
    private var mutation: Mutation
    private var headers: HeaderMutation
    private var random: Deterministic

    init(seed: UInt64) {
        self.seed = seed
        mixture = QueryMixture(seed: seed)
        mutation = Mutation(seed: seed &* 31)
        headers = HeaderMutation(seed: seed &* 53)
        random = Deterministic(state: seed &* 77)
    }

    /// From a calm world to one in which nearly everything is down.
    func shuffled(_ random: inout Deterministic) -> [UInt64] {
        let states = [NC_NODE_UP, NC_NODE_DEGRADED, NC_NODE_DOWN, NC_NODE_UNKNOWN, NC_NODE_DRAINED]
        let calm = Int.random(in: 0...3, using: &random)
        return (0..<40).map { slot in
            var state =
                Int.random(in: 0...3, using: &random) < calm
                ? NC_NODE_UP : states.randomElement(using: &random) ?? NC_NODE_UP
            if calm == 0, slot % 10 != 0 { state = NC_NODE_DOWN }
            // Degraded nodes have any share, and so have those that have just come back.
            let isWhole = state != NC_NODE_DEGRADED && Bool.random(using: &random)
            let share = isWhole ? 256 : UInt32.random(in: 0...256, using: &random)
            let ttl = Bool.random(using: &random) ? NC_TTL_STABLE : UInt32.random(in: 0...400, using: &random)
            return nc_node_word(state.rawValue, share, ttl, 0)
        }
    }

    mutating func shuffle(_ paths: BothPaths) {
        for family in IPFamily.answered {
            for (slot, word) in shuffled(&random).enumerated() { paths.maps.words.store(slot, family, word) }
        }
        paths.storeCensus()
    }

    mutating func step(_ paths: BothPaths) throws {
        guard packets % 8 == 7 else {
            let (isTransmitted, wrong) = try paths.judge(mutation.bytes(of: mixture.frame()))
            return count(isTransmitted, wrong)
        }
        let bytes = headers.bytes(of: mixture.frame())
        let (isAnswered, wrong) = try paths.judge(bytes)
        let reason = "answered what is no plain query to this host"
        count(
            isAnswered,
            wrong
                ?? (isAnswered
                    ? Disagreement(reason: reason, place: "", frame: bytes, program: [], resolver: [], words: []) : nil)
        )
    }

    /// Sends what the program answers in a test run over an interface too.
    mutating func step(_ paths: BothPaths, over link: RawLink) throws {
        let frame = mixture.frame()
        let (isTransmitted, wrong) = try paths.judge(frame.bytes)
        guard isTransmitted, wrong == nil else { return count(false, wrong) }
        let expected = try Frame(bytes: paths.maps.program.testRun(packet: frame.bytes).packet)
        var reply = link.ask(frame)
        if reply == nil {
            if try hadNoRoom(paths) { return count(false, nil) }
            reply = link.lateReply(to: frame)
        }
        let isSame = reply?.message == expected?.message && reply?.tags == frame.tags
        count(
            true,
            isSame
                ? nil
                : Disagreement(
                    reason: "over the interface another message", place: "", frame: frame.bytes,
                    program: reply?.bytes ?? [], resolver: expected?.message ?? [], words: []))
    }

    /// Whether a frame could not grow so far on this interface, since the last one that could not.
    private mutating func hadNoRoom(_ paths: BothPaths) throws -> Bool {
        let declined = try paths.counter("pass_room")
        defer { withoutRoom = declined }
        return declined == withoutRoom + 1
    }

    private mutating func count(_ isTransmitted: Bool, _ wrong: Disagreement?) {
        packets += 1
        if isTransmitted { transmitted += 1 }
        guard let wrong else { return }
        disagreements += 1
        Issue.record("seed \(seed), frame \(packets): \(wrong)")
    }
}
