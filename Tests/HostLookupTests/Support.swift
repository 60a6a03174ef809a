import DNSWire
import HostLookup
import IPNetworks
import Synchronization

/// Builds replies to questions, record by record.
struct Reply {
    /// Flags and response code: a response, recursion desired and available.
    var flags: UInt16 = 0x8180
    var answers: [[UInt8]] = []
    var authority: [[UInt8]] = []

    func message(to question: LookupQuestion) -> [UInt8] { message(to: question.message) }

    func message(to question: [UInt8]) -> [UInt8] {
        question[0..<2] + [UInt8(flags >> 8), UInt8(flags & 255), 0, 1, 0, UInt8(answers.count), 0]
            + [UInt8(authority.count), 0, 0] + question[12...] + answers.joined() + authority.joined()
    }

    static func record(_ owner: String, _ type: UInt8, _ ttl: UInt32, _ data: [UInt8]) throws -> [UInt8] {
        let time = (0..<4).map { UInt8(truncatingIfNeeded: ttl >> (24 - 8 * $0)) }
        return try DomainName(owner).wire + [0, type, 0, 1] + time + [0, UInt8(data.count)] + data
    }

    static func a(_ owner: String, _ last: UInt8, ttl: UInt32 = 60) throws -> [UInt8] {
        try record(owner, 1, ttl, [192, 0, 2, last])
    }

    static func alias(_ owner: String, _ target: String, ttl: UInt32 = 60) throws -> [UInt8] {
        try record(owner, 5, ttl, DomainName(target).wire)
    }

    static func soa(_ owner: String, ttl: UInt32, minimum: UInt8) throws -> [UInt8] {
        try record(owner, 6, ttl, [0, 0] + [UInt8](repeating: 0, count: 19) + [minimum])
    }
}

/// Answers by a script, and keeps what was asked.
final class FakeTransport: LookupTransport {
    struct Asked: Equatable {
        let server: String
        let overTCP: Bool
    }

    typealias Script = @Sendable (LookupQuestion, LookupServer, Bool) async throws -> [UInt8]

    private let script: Script
    private let log = Mutex<[Asked]>([])

    init(_ script: @escaping Script) { self.script = script }

    var asked: [Asked] { log.withLock { $0 } }

    func ask(_ question: LookupQuestion, _ server: LookupServer, overTCP: Bool) async throws -> [UInt8] {
        log.withLock { $0.append(Asked(server: "\(server)", overTCP: overTCP)) }
        return try await script(question, server, overTCP)
    }
}

/// A clock that tests set.
final class FakeClock: Sendable {
    private let time = Atomic<Int64>(0)

    var now: Int64 { time.load(ordering: .relaxed) }
    func advance(seconds: Int64) { time.add(seconds * 1_000_000_000, ordering: .relaxed) }
}

func address(_ text: String) throws -> IPAddress {
    guard let address = IPAddress(text) else { throw LookupFailure(description: "\(text) is no address") }
    return address
}
