import Health

/// A check over TCP without TLS or by echo requests, and its probe while one is on its way.
final class PlainJob {
    enum Stage { case idle, connecting, sending, reading, pinging }

    let key: Bench.Key
    let index: Int
    /// When the next probe begins, or when this one should have; nanoseconds of monotonic time.
    var due: Int64
    /// Another with each probe and with its end: deadlines and events of another turn are of no meaning.
    var turn: UInt32
    var began: Int64 = 0
    var stage = Stage.idle
    var descriptor: CInt = -1
    var isWatched = false
    /// Of the echo request that is waited for.
    var ping: UInt16?
    var unsent: ArraySlice<UInt8> = []
    private var judge = Judge.connection

    /// What is looked for in what comes back.
    private enum Judge {
        case connection
        case expectation(Expectation)
        case head(HTTPHead, ClosedRange<Int>)
    }

    private static let limit = 64 << 10

    init(_ key: Bench.Key, index: Int, due: Int64, turn: UInt32) {
        self.key = key
        self.index = index
        self.due = due
        self.turn = turn
    }

    /// For events and deadlines of this turn.
    var tag: UInt64 { UInt64(index) << 32 | UInt64(turn) }

    /// Whether a check is of this kind; others go over NIO.
    static func takes(_ check: Check) -> Bool {
        switch check.probe {
        case .tcp, .icmp: true
        case .http(let probe): probe.tls == nil && probe.body.isEmpty && probe.redirects.limit == 0
        default: false
        }
    }

    var port: UInt16 {
        switch key.check.probe {
        case .tcp(let probe): probe.port
        case .http(let probe): probe.port
        default: 0
        }
    }

    /// Makes ready what will be said, and what is looked for.
    func prepare() {
        switch key.check.probe {
        case .tcp(let probe):
            unsent = Array(probe.send.utf8)[...]
            judge = probe.expect.isEmpty ? .connection : .expectation(Expectation(probe.expect, limit: Self.limit))
        case .http(let probe):
            unsent = probe.request(to: key.check.target)[...]
            judge = .head(HTTPHead(), probe.codes)
        default: break
        }
    }

    /// What the connection alone says; `nil`: there is more to come.
    var outcomeOfConnection: ProbeOutcome? {
        if case .connection = judge { return .passed("connected") }
        return nil
    }

    /// What the bytes that came say; `nil`: there is more to come.
    func outcome(of bytes: some Collection<UInt8>) -> ProbeOutcome? {
        switch judge {
        case .connection: return nil
        case .expectation(var expectation):
            // Else the value would be copied whole with each piece.
            judge = .connection
            let finding = expectation.take(bytes)
            judge = .expectation(expectation)
            return switch finding {
            case .found: .passed("answered as expected")
            case .missing: nil
            case .tooMuch: .failed("what is expected is not among the first \(Self.limit) bytes")
            }
        case .head(var head, let codes):
            judge = .connection
            let finding = head.take(bytes)
            judge = .head(head, codes)
            return switch finding {
            case .status(let status): codes.contains(status) ? .passed("status \(status)") : .failed("status \(status)")
            case .incomplete: nil
            case .malformed: .failed("the answer is not HTTP/1")
            case .tooLong: .failed("the answer's head has no end")
            case .tooManyInterim: .failed("there are more than \(HTTPHead.interimLimit) interim responses")
            }
        }
    }
}
