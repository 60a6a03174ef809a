public import IPNetworks
import Location

/// A rule of eligibility: which members may, must not, or alone should serve the clients of some places.
///
/// The most specific rule that speaks of a member decides for it: a longer prefix before a shorter one, then an
/// operator's label, an ASN, a region, a country, a continent, any place. Among equally specific ones `deny` comes
/// before `allow` and `pin`.
public struct GeoRule: Hashable, Sendable {
    /// Which clients.
    public enum Match: Hashable, Sendable {
        /// ISO 3166-1 alpha-2, upper case.
        case country(String)
        /// As `Place.region` has it; regions of other countries may have the same name.
        case region(country: String, String)
        /// AF, AN, AS, EU, NA, OC or SA.
        case continent(String)
        /// A label of `Place.labels`; the specificity orders labels among each other: see `asn`, `word`, `prefix`.
        case label(String, specificity: Int)
        case any
    }

    public enum Action: Hashable, Sendable {
        /// The nodes may serve these clients; and where no rule matches, nodes named by an `allow` serve nobody.
        case allow
        /// The nodes never serve these clients.
        case deny
        /// These clients are served by the nodes alone.
        case pin
    }

    public let match: Match
    public let action: Action
    /// Indices in the model; nil: every member. A client to whom every member is denied is refused.
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

    /// Clients with a label of the operator's.
    public static func word(_ word: String) -> Self { .label(word, specificity: 1) }

    /// Clients in a network.
    public static func prefix(_ prefix: IPPrefix) -> Self {
        .label(LabelNeeds.label(prefix), specificity: 2 + prefix.length)
    }

    /// 0 for `any`, growing.
    var specificity: Int {
        switch self {
        case .any: 0
        case .continent: 1
        case .country: 2
        case .region: 3
        case .label(_, let specificity): 4 + specificity
        }
    }

    /// What orders matches of the same specificity: any order will do that is the same everywhere.
    var name: String {
        switch self {
        case .any: ""
        case .continent(let name), .country(let name), .label(let name, _): name
        case .region(let country, let region): "\(country)-\(region)"
        }
    }

    /// Whether a place's names and labels fit; the coordinates do not matter.
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
