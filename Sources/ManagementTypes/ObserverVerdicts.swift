package import ControlFailures

/// Everything a vantage point sees: the body of `POST /v1/observers/ID/verdicts`. It has no verdict on nodes that it
/// leaves out.
public struct ObserverVerdicts: Codable, Equatable, Sendable {
    /// By node id, at most 4,096.
    public var verdicts: [String: Verdict]

    public enum Verdict: String, Codable, Sendable {
        case up, down
    }

    public init(verdicts: [String: Verdict]) { self.verdicts = verdicts }

    /// Bytes of a body.
    package static let maximumBytes = 512 << 10
    private static let maximumNodes = 4_096

    /// - Throws: `invalid`, in the user's words.
    package static func read(_ bytes: [UInt8]) throws(ControlFailure) -> ObserverVerdicts {
        let remedy = "send JSON such as {\"verdicts\": {\"fra1\": \"up\", \"nyc1\": \"down\"}}"
        let read: ObserverVerdicts
        do { read = try ControlJSON.decode(ObserverVerdicts.self, from: bytes) } catch let error as DecodingError {
            throw ControlFailure(.invalid, error.summary, remedy: remedy)
        } catch {
            throw ControlFailure(.invalid, "the body cannot be read", remedy: remedy)
        }
        guard read.verdicts.count <= maximumNodes else {
            throw ControlFailure(.invalid, "verdicts has more than \(maximumNodes) nodes", remedy: "leave some out")
        }
        return read
    }
}

/// The result of an observer's verdicts.
public struct VerdictsReceipt: Codable, Equatable, Sendable {
    public var observer: String
    /// Verdicts on nodes that are checked here.
    public var counted: Int
    /// Whether the observer counts now: one that sees fewer than half of the nodes that others see is assumed to be cut
    /// off.
    public var isHeard: Bool
    /// How long the verdicts are valid.
    public var validSeconds: Int
    /// Nodes that are unknown or not checked here; at most 16.
    public var ignored: [String]?

    public init(observer: String, counted: Int, isHeard: Bool, validSeconds: Int, ignored: [String]? = nil) {
        self.observer = observer
        self.counted = counted
        self.isHeard = isHeard
        self.validSeconds = validSeconds
        self.ignored = ignored
    }
}
