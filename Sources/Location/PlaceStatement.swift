public import IPNetworks

/// What somebody other than the database says of a block of addresses: parts of its place, and labels.
public struct PlaceStatement: Hashable, Sendable {
    /// Whether what is not given is unknown. Else it stays what it was.
    public var isWhole: Bool
    public var coordinates: Coordinates?
    /// ISO 3166-1 alpha-2, upper case.
    public var country: String?
    /// As the database names it.
    public var region: String?
    /// AF, AN, AS, EU, NA, OC or SA.
    public var continent: String?
    public var city: String?
    /// The operator's word for the block. A block has one: the most specific.
    public var word: String?
    /// What rules know the block by, sorted: `asn:64500`, `cidr:192.0.2.0/24`. A block has those of all networks around it.
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

    /// Says nothing.
    public static let none = PlaceStatement()

    /// Both in one: this one where it says something, `lower` elsewhere.
    public func over(_ lower: PlaceStatement) -> PlaceStatement {
        PlaceStatement(
            isWhole: isWhole || lower.isWhole, coordinates: pick(coordinates, lower.coordinates),
            country: pick(country, lower.country), region: pick(region, lower.region),
            continent: pick(continent, lower.continent), city: pick(city, lower.city), word: word ?? lower.word,
            labels: Self.union(labels, lower.labels))
    }

    /// What a place is by this statement.
    public func applied(to place: Place) -> Place {
        Place(
            coordinates: pick(coordinates, place.coordinates), country: pick(country, place.country),
            region: pick(region, place.region), continent: pick(continent, place.continent),
            city: pick(city, place.city),
            labels: Self.union(Self.union(labels, place.labels), word.map { [$0] } ?? []))
    }

    private func pick<Value>(_ own: Value?, _ lower: Value?) -> Value? { isWhole ? own : own ?? lower }

    /// Labels are ASCII: their order is that of their bytes.
    private static func union(_ left: [String], _ right: [String]) -> [String] {
        if right.isEmpty { return left }
        return left.isEmpty ? right : Set(left).union(right).sorted()
    }
}

/// Networks and autonomous systems that rules name, and that places are to be labelled with.
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
