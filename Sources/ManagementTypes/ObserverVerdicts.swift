package import ControlFailures

/// Everything a vantage point sees: the body of `POST /v1/observers/ID/verdicts`. It has no verdict on nodes that it
/// leaves out.
public struct ObserverVerdicts: Codable, Equatable, Sendable {
    /// By node id, at most 4,096.
    public var verdicts: [String: Opinion]

    public enum Verdict: String, Codable, Sendable {
        case up, down
    }

    /// What it says of a node: one verdict, or one for each of the families `IPv4` and `IPv6` that it has asked.
    public enum Opinion: Codable, Equatable, Sendable {
        case node(Verdict)
        case families([String: Verdict])

        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let verdict = try? container.decode(Verdict.self) {
                self = .node(verdict)
                return
            }
            let families = try? container.decode([String: Verdict].self)
            guard let families, families.keys.allSatisfy({ $0 == "IPv4" || $0 == "IPv6" }) else {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription:
                        "a verdict is up, down, or an object such as {\"IPv4\": \"up\", \"IPv6\": \"down\"}")
            }
            self = .families(families)
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .node(let verdict): try container.encode(verdict)
            case .families(let families): try container.encode(families)
            }
        }
    }

    public init(verdicts: [String: Opinion]) { self.verdicts = verdicts }

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
