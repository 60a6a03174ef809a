public import IPNetworks
import Location

/// A rule of eligibility: which members may serve, must not serve, or exclusively serve the clients of some places.
///
/// For each member, the most specific rule that covers it decides: a longer prefix before a shorter one, then an
/// operator's label, an ASN, a region, a country, a continent, any place. Among equally specific rules, `deny` comes
/// before `allow` and `pin`.
public struct GeoRule: Hashable, Sendable {
    /// Which clients the rule covers.
    public enum Match: Hashable, Sendable {
        /// ISO 3166-1 alpha-2, upper case.
        case country(String)
        /// As in `Place.region`. Regions of different countries may have the same name.
        case region(country: String, String)
        /// AF, AN, AS, EU, NA, OC or SA.
        case continent(String)
        /// A label of `Place.labels`. The specificity ranks kinds of labels: see `asn`, `word`, `prefix`.
        case label(String, specificity: Int)
        case any
    }

    public enum Action: Hashable, Sendable {
        /// The nodes may serve these clients. A node named by some `allow` serves no clients that no `allow` covers.
        case allow
        /// The nodes never serve these clients.
        case deny
        /// Only these nodes serve these clients.
        case pin
    }

    public let match: Match
    public let action: Action
    /// Indices in the model; nil: every member. If the rules deny a client every member, the answer is REFUSED.
    public let nodes: [Int]?

    public init(match: Match, action: Action, nodes: [Int]? = nil) {
        self.match = match
        self.action = action
        self.nodes = nodes
    }
}

extension GeoRule.Match {
    /// Clients of an autonomous system.
    public static func asn(_ number: UInt32) -> Self { .label(LabelNeeds.label(asn: number), specificity: 0) }

    /// Clients with a label that the operator defines.
    public static func word(_ word: String) -> Self { .label(word, specificity: 1) }

    /// Clients in a network.
    public static func prefix(_ prefix: IPPrefix) -> Self {
        .label(LabelNeeds.label(prefix), specificity: 2 + prefix.length)
    }

    /// 0 for `any`; greater is more specific.
    var specificity: Int {
        switch self {
        case .any: 0
        case .continent: 1
        case .country: 2
        case .region: 3
        case .label(_, let specificity): 4 + specificity
        }
    }

    /// Orders matches of equal specificity. Any order works if it is the same on every machine.
    var name: String {
        switch self {
        case .any: ""
        case .continent(let name), .country(let name), .label(let name, _): name
        case .region(let country, let region): "\(country)-\(region)"
        }
    }

    /// Whether the place's names and labels match. Coordinates do not matter.
    func matches(_ place: Place) -> Bool {
        switch self {
        case .any: true
        case .continent(let continent): place.continent == continent
        case .country(let country): place.country == country
        case .region(let country, let region): place.country == country && place.region == region
        case .label(let label, _): place.labels.contains(label)
        }
    }
}
