public import IPNetworks

/// A statement about a block of addresses from a source other than the database: parts of its place, and labels.
public struct PlaceStatement: Hashable, Sendable {
    /// Whether parts that are not given become unknown. If false, they stay as they were.
    public var isWhole: Bool
    public var coordinates: Coordinates?
    /// ISO 3166-1 alpha-2, upper case.
    public var country: String?
    /// As the database names it.
    public var region: String?
    /// AF, AN, AS, EU, NA, OC or SA.
    public var continent: String?
    public var city: String?
    /// The operator's label for the block. A block has one: the most specific.
    public var word: String?
    /// Labels that rules match, sorted: `asn:64500`, `cidr:192.0.2.0/24`. A block has those of all networks that
    /// contain it.
    public var labels: [String]

    public init(
        isWhole: Bool = false, coordinates: Coordinates? = nil, country: String? = nil, region: String? = nil,
        continent: String? = nil, city: String? = nil, word: String? = nil, labels: [String] = []
    ) {
        self.isWhole = isWhole
        self.coordinates = coordinates
        self.country = country
        self.region = region
        self.continent = continent
        self.city = city
        self.word = word
        self.labels = labels
    }

    /// The empty statement.
    public static let none = PlaceStatement()

    /// Combines both: this statement where it states something, else `lower`.
    public func over(_ lower: PlaceStatement) -> PlaceStatement {
        PlaceStatement(
            isWhole: isWhole || lower.isWhole, coordinates: pick(coordinates, lower.coordinates),
            country: pick(country, lower.country), region: pick(region, lower.region),
            continent: pick(continent, lower.continent), city: pick(city, lower.city), word: word ?? lower.word,
            labels: Self.union(labels, lower.labels))
    }

    /// The place that results from this statement.
    public func applied(to place: Place) -> Place {
        Place(
            coordinates: pick(coordinates, place.coordinates), country: pick(country, place.country),
            region: pick(region, place.region), continent: pick(continent, place.continent),
            city: pick(city, place.city),
            labels: Self.union(Self.union(labels, place.labels), word.map { [$0] } ?? []))
    }

    private func pick<Value>(_ own: Value?, _ lower: Value?) -> Value? { isWhole ? own : own ?? lower }

    /// Labels are ASCII, so string order is byte order.
    private static func union(_ left: [String], _ right: [String]) -> [String] {
        if right.isEmpty { return left }
        return left.isEmpty ? right : Set(left).union(right).sorted()
    }
}

/// Networks and autonomous systems that rules name. Places inside them get a label.
public struct LabelNeeds: Hashable, Sendable {
    public var asns: Set<UInt32>
    public var prefixes: Set<IPPrefix>

    public init(asns: Set<UInt32> = [], prefixes: Set<IPPrefix> = []) {
        self.asns = asns
        self.prefixes = prefixes
    }

    public static let none = LabelNeeds()

    /// The label of the addresses of an autonomous system.
    public static func label(asn: UInt32) -> String { "asn:\(asn)" }

    /// The label of a network's addresses.
    public static func label(_ prefix: IPPrefix) -> String { "cidr:\(prefix)" }
}
