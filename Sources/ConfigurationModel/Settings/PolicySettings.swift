public import IPNetworks

/// How nodes of a pool are chosen and answered.
public struct PolicySettings: Sendable {
    public let id: String
    public let strategy: Strategy
    /// Of the original strategies.
    public let scoring: Scoring
    /// Of strategy `latency`: 1 to 64 files of measured times, no two alike. Empty in other strategies.
    public let latency: [PathSetting]
    public let weighBy: Weighing
    /// Nodes farther away are no candidates: 1 to 20,038; `nil` for no limit.
    public let maximumKilometres: Int?
    /// In the order of the declaration, one for each thing that an entry of `rules` lists; no two contradict each other.
    public let rules: [RuleSettings]
    /// Addresses in an answer, 1 to 8.
    public let answers: Int
    /// Seconds, 1 to 2^31 - 1 (RFC 2181, section 8), not above `ttlMax`.
    public let ttlMin: UInt32
    /// Seconds, 1 to 2^31 - 1.
    public let ttlMax: UInt32
    /// 0 to 100; at most one of the two tolerances is above 0.
    public let tolerancePercent: Int
    /// 0 to 20,000.
    public let toleranceKilometres: Int
    /// Whether EDNS Client Subnet decides the client's place (RFC 7871); the sender's address does otherwise.
    public let usesClientSubnet: Bool
    public let whenAllDown: AllDownRule
    public let mark: DocumentLocation

    /// Files of strategy `latency`.
    static let maximumLatencyFiles = 64

    /// How candidates are ranked.
    public enum Strategy: String, Sendable, CaseIterable {
        /// The smallest great-circle distance, bent by the members' bias.
        case nearest
        /// The original proximity scores, of distance and of being in the same region or country.
        case linear, quadratic, logarithmic, stepped
        /// The smallest measured time, then distance.
        case latency
        /// The pool's order.
        case `static`
        /// By weight alone.
        case weighted
        /// The pool's tiers in order, the nearest inside a tier.
        case failover

        /// Whether the score is one of the original four.
        var isOriginal: Bool { Self.original.contains(self) }

        static let original: [Strategy] = [.linear, .quadratic, .logarithmic, .stepped]
    }

    /// What the original strategies add to the score of the distance.
    public struct Scoring: Hashable, Sendable {
        /// Whether nodes of the client's region or country get a bonus.
        public let prefersSameRegion: Bool
        /// 0 to 1,000.
        public let biasThousandths: Int
    }

    /// What shares clients between nodes that are equally good.
    public enum Weighing: String, Sendable, CaseIterable {
        case weight
        /// Every member of the policy's pools has one.
        case capacity
    }

    /// What a name answers when no node of its pool is usable.
    public enum AllDownRule: Hashable, Sendable {
        /// The nearest nodes, as if all were usable.
        case open
        /// REFUSED.
        case refuse
        /// The nodes of another of the configuration's pools.
        case fallback(pool: String)
        /// At least one, none twice.
        case addresses([IPAddress])
    }
}

/// Who may be served by which nodes.
public struct RuleSettings: Hashable, Sendable {
    public let match: Match
    public let action: Action
    /// Ids of nodes of the configuration, at least one; `nil`: all.
    public let nodes: [String]?
    public let mark: DocumentLocation

    /// Which clients a rule is about.
    public enum Match: Hashable, Sendable {
        /// Two upper-case letters (ISO 3166-1).
        case country(String)
        /// The country, and the region as the city database names it.
        case region(country: String, String)
        /// AF, AN, AS, EU, NA, OC or SA.
        case continent(String)
        case asn(UInt32)
        case prefix(IPPrefix)
        /// 1 to 63 of `A-Z a-z 0-9 . _ -`.
        case label(String)
        case everyone
    }

    /// What a rule does with its nodes, for those clients.
    public enum Action: String, Sendable, CaseIterable {
        /// They may serve the clients, whatever a less specific rule denies.
        case allow
        /// They do not; where these are all, the clients are refused.
        case deny
        /// Only they do.
        case pin
    }
}

extension RuleSettings.Match: CustomStringConvertible {
    /// As messages name it: `country DE`.
    public var description: String {
        switch self {
        case .country(let code): "country \(code)"
        case .region(let country, let region): "region \(country)-\(region)"
        case .continent(let code): "continent \(code)"
        case .asn(let number): "AS \(number)"
        case .prefix(let prefix): "\(prefix)"
        case .label(let label): "label \(label)"
        case .everyone: "everyone"
        }
    }
}

extension ServerConfiguration {
    /// What rules of policies know places by that the city database does not tell: the location table needs leaves for them.
    public var steeringLabelNeeds: (asns: Set<UInt32>, prefixes: [IPPrefix]) {
        var asns: Set<UInt32> = []
        var prefixes: Set<IPPrefix> = []
        for rule in policies.flatMap(\.rules) {
            switch rule.match {
            case .asn(let number): asns.insert(number)
            case .prefix(let prefix): prefixes.insert(prefix)
            default: break
            }
        }
        let sorted = prefixes.sorted { ($0.address, $0.length) < ($1.address, $1.length) }
        return (asns, sorted)
    }
}
