import Health
import IPNetworks

/// A running probe over TCP without TLS, or by echo request.
final class SocketProbe {
    enum Stage { case connecting, sending, reading }

    /// What the answer is matched against.
    private enum Judge {
        case connection
        case expectation(Expectation)
        case head(HTTPHead, ClosedRange<Int>)
    }

    private static let limit = 64 << 10

    let id: ProbeID
    let check: Check
    let target: IPAddress
    var stage = Stage.connecting
    var descriptor: CInt = -1
    /// Whether the descriptor is registered with epoll.
    var isWatched = false
    /// The number of the pending echo request.
    var ping: UInt16?
    var unsent: ArraySlice<UInt8> = []
    private var judge = Judge.connection

    /// - Parameter target: the check's address.
    init(_ id: ProbeID, _ check: Check, _ target: IPAddress) {
        self.id = id
        self.check = check
        self.target = target
        switch check.probe {
        case .tcp(let probe):
            unsent = Array(probe.send.utf8)[...]
            if !probe.expect.isEmpty { judge = .expectation(Expectation(probe.expect, limit: Self.limit)) }
        case .http(let probe):
            unsent = probe.request(to: target)[...]
            judge = .head(HTTPHead(), probe.codes)
        default: break
        }
    }

    /// Whether a check is of this kind. The others need channels.
    static func takes(_ check: Check) -> Bool {
        guard check.target.address != nil else { return false }
        return switch check.probe {
        case .tcp(let probe): probe.tls == nil
        case .icmp: true
        case .http(let probe):
            probe.tls == nil && probe.body.isEmpty && probe.json == nil && probe.redirects.limit == 0
        default: false
        }
    }

    var port: UInt16 {
        switch check.probe {
        case .tcp(let probe): probe.port
        case .http(let probe): probe.port
        default: 0
        }
    }

    /// The outcome, if the connection alone decides. `nil`: there is more to come.
    var outcomeOfConnection: ProbeOutcome? {
        if case .connection = judge { return .passed("connected") }
        return nil
    }

    /// The outcome from the bytes received. `nil`: there is more to come.
    func outcome(of bytes: some Collection<UInt8>) -> ProbeOutcome? {
        switch judge {
        case .connection: return nil
        case .expectation(var expectation):
            // Otherwise the value would be copied whole with each piece.
            judge = .connection
            let finding = expectation.take(bytes)
            judge = .expectation(expectation)
            return switch finding {
            case .found: .passed("answered as expected")
            case .missing: nil
            case .tooMuch: .failed("the expected text is not in the first \(Self.limit) bytes")
            }
        case .head(var head, let codes):
            judge = .connection
            let finding = head.take(bytes)
            judge = .head(head, codes)
            return switch finding {
            case .status(let status): codes.contains(status) ? .passed("status \(status)") : .failed("status \(status)")
            case .incomplete: nil
            case .malformed: .failed("the answer is not HTTP/1")
            case .tooLong: .failed("the response header is too long")
            case .tooManyInterim: .failed("more than \(HTTPHead.interimLimit) interim responses")
            }
        }
    }
}
