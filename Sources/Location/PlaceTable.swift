/// A point on the globe in millionths of a degree: latitude in -90,000,000...90,000,000 (north positive),
/// longitude in -180,000,000...180,000,000 (east positive).
public struct Coordinates: Hashable, Sendable, Comparable {
    public let latitude: Int32
    public let longitude: Int32

    public init(latitude: Int32, longitude: Int32) {
        self.latitude = latitude
        self.longitude = longitude
    }

    public static func < (left: Coordinates, right: Coordinates) -> Bool {
        (left.latitude, left.longitude) < (right.latitude, right.longitude)
    }
}

/// What the geographic database states about a block of addresses.
public struct Place: Hashable, Sendable {
    public var coordinates: Coordinates?
    /// ISO 3166-1 alpha-2, upper case.
    public var country: String?
    /// Subdivision: ISO code where the database has one, else its English name.
    public var region: String?
    /// AF, AN, AS, EU, NA, OC or SA.
    public var continent: String?
    /// English name, for display only: no decision depends on it.
    public var city: String?
    /// Further labels that rules match, sorted: `asn:64500`, `cidr:192.0.2.0/24`, or a label of the operator.
    public var labels: [String]

    public init(
        coordinates: Coordinates? = nil, country: String? = nil, region: String? = nil, continent: String? = nil,
        city: String? = nil, labels: [String] = []
    ) {
        self.coordinates = coordinates
        self.country = country
        self.region = region
        self.continent = continent
        self.city = city
        self.labels = labels
    }

    /// The place of addresses that are not in the database.
    public static let unknown = Place()
}

extension Place: Comparable {
    /// An order by content, so that place numbers do not depend on the order in the database.
    public static func < (left: Place, right: Place) -> Bool {
        if left.coordinates != right.coordinates {
            guard let first = left.coordinates else { return true }
            guard let second = right.coordinates else { return false }
            return first < second
        }
        if left.country != right.country { return precedes(left.country, right.country) }
        if left.region != right.region { return precedes(left.region, right.region) }
        if left.continent != right.continent { return precedes(left.continent, right.continent) }
        if left.city != right.city { return precedes(left.city, right.city) }
        return left.labels.lexicographicallyPrecedes(right.labels) { precedes($0, $1) }
    }

    /// Compares by bytes, not by Unicode collation, so that the order is the same on every machine. Absent values come
    /// first.
    private static func precedes(_ left: String?, _ right: String?) -> Bool {
        guard let right else { return false }
        guard let left else { return true }
        return left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}

/// Places by number, as the location table's leaves refer to them. Number 0 is the unknown place.
///
/// Each distinct string is stored once: half a million places share a few thousand regions.
public struct PlaceTable: Sendable, Equatable {
    struct Row: Equatable {
        var coordinates: Coordinates
        var isLocated: Bool
        var country: UInt32
        var region: UInt32
        var continent: UInt32
        var city: UInt32
        var labels: UInt32
    }

    private(set) var rows: [Row] = []
    /// Distinct names; the first means "absent".
    private(set) var strings: [String] = [""]
    /// Distinct sets of labels; the first is empty.
    private(set) var labelSets: [[String]] = [[]]

    /// - Parameter places: in order of their numbers. The first must be `Place.unknown`.
    public init(_ places: [Place] = [.unknown]) {
        precondition(places.first == .unknown, "place 0 is the unknown place")
        var numbers: [String: UInt32] = [:]
        var labelNumbers: [[String]: UInt32] = [:]
        rows.reserveCapacity(places.count)
        for place in places { append(place, &numbers, &labelNumbers) }
    }

    /// The same table with additional places, in another order.
    ///
    /// - Parameter order: current numbers, then those of `places`; each once, 0 first.
    func extended(by places: [Place], order: [UInt32]) -> PlaceTable {
        precondition(order.count == rows.count + places.count && order.first == 0, "an order of all places")
        var result = self
        var numbers = Dictionary(uniqueKeysWithValues: strings.enumerated().map { ($0.element, UInt32($0.offset)) })
        var labelNumbers = Dictionary(
            uniqueKeysWithValues: labelSets.enumerated().map { ($0.element, UInt32($0.offset)) })
        for place in places { result.append(place, &numbers, &labelNumbers) }
        let rows = result.rows
        result.rows = order.map { rows[Int($0)] }
        return result
    }

    private mutating func append(
        _ place: Place, _ numbers: inout [String: UInt32], _ labelNumbers: inout [[String]: UInt32]
    ) {
        rows.append(
            Row(
                coordinates: place.coordinates ?? Coordinates(latitude: 0, longitude: 0),
                isLocated: place.coordinates != nil,
                country: intern(place.country, &numbers), region: intern(place.region, &numbers),
                continent: intern(place.continent, &numbers), city: intern(place.city, &numbers),
                labels: intern(place.labels, &labelNumbers)))
    }

    private mutating func intern(_ labels: [String], _ numbers: inout [[String]: UInt32]) -> UInt32 {
        guard !labels.isEmpty else { return 0 }
        if let number = numbers[labels] { return number }
        let number = UInt32(labelSets.count)
        labelSets.append(labels)
        numbers[labels] = number
        return number
    }

    private mutating func intern(_ string: String?, _ numbers: inout [String: UInt32]) -> UInt32 {
        guard let string, !string.isEmpty else { return 0 }
        if let number = numbers[string] { return number }
        let number = UInt32(strings.count)
        strings.append(string)
        numbers[string] = number
        return number
    }

    public var count: Int { rows.count }

    /// Coordinates of a place, without its names.
    public func coordinates(_ number: Int) -> Coordinates? {
        rows[number].isLocated ? rows[number].coordinates : nil
    }

    public subscript(number: Int) -> Place {
        let row = rows[number]
        func text(_ index: UInt32) -> String? { index == 0 ? nil : strings[Int(index)] }
        return Place(
            coordinates: coordinates(number), country: text(row.country), region: text(row.region),
            continent: text(row.continent), city: text(row.city), labels: labelSets[Int(row.labels)])
    }

    /// Visits everything that decisions may depend on. Equal tables visit the same values.
    ///
    /// - Parameters:
    ///   - number: called with coordinates and with numbers of names.
    ///   - text: called with names and labels.
    public func visitContent(number: (UInt64) -> Void, text: (String) -> Void) {
        for string in strings { text(string) }
        for labels in labelSets {
            number(UInt64(labels.count))
            for label in labels { text(label) }
        }
        for row in rows {
            let latitude = UInt32(bitPattern: row.isLocated ? row.coordinates.latitude : .max)
            number(UInt64(latitude) << 32 | UInt64(UInt32(bitPattern: row.coordinates.longitude)))
            number(UInt64(row.country) << 32 | UInt64(row.region))
            number(UInt64(row.continent) << 32 | UInt64(row.labels))
        }
    }

    /// Numbers of the wanted places that are in the table.
    func numbers(of wanted: Set<Place>) -> [Place: UInt32] {
        // Most rows differ from all wanted places by their coordinates.
        let points = Set(wanted.map(\.coordinates))
        var found: [Place: UInt32] = [:]
        for number in rows.indices where points.contains(coordinates(number)) {
            let place = self[number]
            if wanted.contains(place) { found[place] = UInt32(number) }
        }
        return found
    }
}
