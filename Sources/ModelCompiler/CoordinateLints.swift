import ConfigurationModel
import Glibc
public import Lints
import Location

/// Compares coordinates with the country that is given with them: with the places that the city database has there.
struct CoordinateLints {
    /// Kilometres. No place of a country is as far from all places that the database has in it.
    private static let tolerance = 300.0

    private let places: [String: [Coordinates]]

    /// - Parameter countries: the countries to compare with.
    private init(_ table: PlaceTable, _ countries: Set<String>) {
        var places: [String: [Coordinates]] = [:]
        for number in 0..<table.count {
            let place = table[number]
            guard let country = place.country, countries.contains(country), let point = place.coordinates else {
                continue
            }
            places[country, default: []].append(point)
        }
        self.places = places
    }

    static func warnings(_ configuration: ServerConfiguration, _ table: PlaceTable) -> [LintWarning] {
        let stated = configuration.nodes.compactMap { node -> Stated? in
            guard let location = node.location else { return nil }
            let point = Coordinates(
                latitude: location.latitudeMicrodegrees, longitude: location.longitudeMicrodegrees)
            return location.country.map {
                Stated(owner: "node \(Spelling.quoted(node.id))", country: $0, point: point, mark: location.mark)
            }
        }
        guard !stated.isEmpty else { return [] }
        let lints = CoordinateLints(table, Set(stated.map(\.country)))
        return stated.compactMap { lints.warning($0) }
    }

    /// A place of a configuration.
    private struct Stated {
        let owner: String
        let country: String
        let point: Coordinates
        let mark: DocumentLocation
    }

    private func warning(_ stated: Stated) -> LintWarning? {
        guard let own = distance(stated.point, to: stated.country), own > Self.tolerance else { return nil }
        let swapped = Coordinates(latitude: stated.point.longitude, longitude: stated.point.latitude)
        let isSwapped =
            abs(Int(swapped.latitude)) <= 90_000_000
            && distance(swapped, to: stated.country).map { $0 <= Self.tolerance } == true
        return LintWarning(
            .coordinates, at: "\(stated.mark)",
            "\(stated.owner) is \(Int(own.rounded())) km from every place of its country \(stated.country) in the city "
                + "database",
            remedy: isSwapped ? "swap latitude and longitude" : "correct the coordinates or the country")
    }

    /// Kilometres to the nearest place of a country. `nil`: the database has none.
    private func distance(_ point: Coordinates, to country: String) -> Double? {
        places[country]?.lazy.map { Self.kilometres(point, $0) }.min()
    }

    /// The haversine formula.
    private static func kilometres(_ left: Coordinates, _ right: Coordinates) -> Double {
        func radians(_ microdegrees: Int32) -> Double { Double(microdegrees) * .pi / 180_000_000 }
        let (first, second) = (radians(left.latitude), radians(right.latitude))
        let north = sin((second - first) / 2)
        let east = sin((radians(right.longitude) - radians(left.longitude)) / 2)
        return 2 * 6371 * asin(min(1, sqrt(north * north + cos(first) * cos(second) * east * east)))
    }
}

extension LoadedModel {
    /// Warnings of coordinates that contradict their country. It searches all places of the database.
    public var coordinateWarnings: [LintWarning] {
        configuration.allowed(CoordinateLints.warnings(configuration, geo.places))
    }
}
