public import IPNetworks

/// How nodes of a pool are chosen and answered.
public struct PolicySettings: Sendable {
    public let id: String
    public let strategy: Strategy
    /// Settings of the original strategies.
    public let scoring: Scoring
    /// For strategy `latency`: 1 to 64 distinct files of measured times. Empty for other strategies.
    public let latency: [PathSetting]
    public let weighBy: Weighing
    /// The maximum distance of candidates: 1 to 20,038. `nil`: no limit.
    public let maximumKilometres: Int?
    /// In declaration order, one per item that an entry of `rules` lists. No two contradict each other.
    public let rules: [RuleSettings]
    /// Addresses in an answer, 1 to 8.
    public let answers: Int
    /// Seconds, 1 to 2^31 - 1 (RFC 2181, section 8), not above `ttlMax`.
    public let ttlMin: UInt32
    /// Seconds, 1 to 2^31 - 1.
    public let ttlMax: UInt32
    /// 0 to 100. At most one of the two tolerances is above 0.
    public let tolerancePercent: Int
    /// 0 to 20,000.
    public let toleranceKilometres: Int
    /// Whether EDNS Client Subnet decides the client's place (RFC 7871). Otherwise the sender's address does.
    public let usesClientSubnet: Bool
    public let whenAllDown: AllDownRule
    public let mark: DocumentLocation

    /// Files of strategy `latency`.
    static let maximumLatencyFiles = 64

    /// How candidates are ranked.
    public enum Strategy: String, Sendable, CaseIterable {
        /// The smallest great-circle distance, adjusted by the members' bias.
        case nearest
        /// The original proximity scores, from distance and a bonus for the same region or country.
        case linear, quadratic, logarithmic, stepped
        /// The smallest measured time, then distance.
        case latency
        /// The order in the pool.
        case `static`
        /// By weight alone.
        case weighted
        /// The pool's tiers in order, the nearest node within a tier.
        case failover

        /// Whether the score is one of the original four.
        var isOriginal: Bool { Self.original.contains(self) }

        static let original: [Strategy] = [.linear, .quadratic, .logarithmic, .stepped]
    }

    /// What the original strategies add to the distance score.
    public struct Scoring: Hashable, Sendable {
        /// Whether nodes of the client's region or country get a bonus.
        public let prefersSameRegion: Bool
        /// 0 to 1,000.
        public let biasThousandths: Int
    }

    /// What divides clients between nodes of equal rank.
    public enum Weighing: String, Sendable, CaseIterable {
        case weight
        /// Capacity. Every member of the policy's pools has one.
        case capacity
    }

    /// The answer when no node of the pool is usable.
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

/// Which clients may be served by which nodes.
public struct RuleSettings: Hashable, Sendable {
    public let match: Match
    public let action: Action
    /// Ids of nodes of the configuration, at least one. `nil`: all.
    public let nodes: [String]?
    public let mark: DocumentLocation

    /// Which clients a rule applies to.
    public enum Match: Hashable, Sendable {
        /// Two upper-case letters (ISO 3166-1).
        case country(String)
        /// The country, and the region as named in the city database.
        case region(country: String, String)
        /// AF, AN, AS, EU, NA, OC or SA.
        case continent(String)
        case asn(UInt32)
        case prefix(IPPrefix)
        /// 1 to 63 of `A-Z a-z 0-9 . _ -`.
        case label(String)
        case everyone
    }

    /// What a rule does with its nodes for those clients.
    public enum Action: String, Sendable, CaseIterable {
        /// They may serve the clients, even if a less specific rule denies it.
        case allow
        /// They may not. If no node is left, the clients are refused.
        case deny
        /// Only they may.
        case pin
    }
}

extension RuleSettings.Match: CustomStringConvertible {
    /// As messages show it: `country DE`.
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
    /// Places that rules name and the city database does not have: the location table needs leaves for them.
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
