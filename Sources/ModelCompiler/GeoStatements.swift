import ConfigurationModel
import GeoData
import IPNetworks
import Location

/// What a configuration adds to the location data of its files.
struct GeoStatements: Hashable, Sendable {
    struct Override: Hashable, Sendable {
        let prefix: IPPrefix
        let statement: PlaceStatement
    }

    let overrides: [Override]
    let asns: [UInt32: PlaceStatement]
    /// Networks that rules name.
    let prefixes: [Override]

    init(_ settings: GeoSettings, labels: LabelNeeds) {
        overrides = settings.overrides.map { Override(prefix: $0.prefix, statement: PlaceStatement($0.place)) }
        var asns = Dictionary(uniqueKeysWithValues: settings.asns.map { ($0.asn, PlaceStatement($0.place)) })
        for asn in labels.asns { asns[asn, default: .none].labels = [LabelNeeds.label(asn: asn)] }
        self.asns = asns
        prefixes = labels.prefixes.map {
            Override(prefix: $0, statement: PlaceStatement(labels: [LabelNeeds.label($0)]))
        }
        .sorted { ($0.prefix.address, $0.prefix.length) < ($1.prefix.address, $1.prefix.length) }
    }

    /// All additions to the database, in order of precedence: overrides, feed, autonomous systems. Within each, the
    /// longer prefix wins. Labels of rules are added to all of them.
    ///
    /// - Returns: the additions, and the problems of feed lines that are skipped.
    func layers(
        asns data: ASNData?, geofeed: GeoSource<Geofeed>?, places: PlaceTable
    ) -> (layers: PlaceLayers, leftOut: [String]) {
        var layers = PlaceLayers()
        var leftOut: [String] = []
        if let data, !asns.isEmpty { layers.add(v4: data.v4, v6: data.v6, statements: asns) }
        if let geofeed {
            let said = Self.statements(geofeed.content, places)
            layers.add(said.statements)
            leftOut = said.leftOut.messages(for: geofeed.path)
        }
        layers.add(overrides.map { ($0.prefix, $0.statement) })
        layers.add(prefixes.map { ($0.prefix, $0.statement) })
        return (layers, leftOut)
    }

    private static func statements(
        _ feed: Geofeed, _ places: PlaceTable
    ) -> (statements: [(prefix: IPPrefix, statement: PlaceStatement)], leftOut: LeftOut) {
        let directory = PlaceDirectory(places)
        var leftOut = LeftOut(problems: feed.problems, count: feed.leftOut)
        var said: [(prefix: IPPrefix, statement: PlaceStatement)] = []
        for entry in feed.entries {
            guard let country = entry.country else {
                said.append((entry.prefix, PlaceStatement(isWhole: true)))
                continue
            }
            guard let place = directory.find(country: country, region: entry.region, city: entry.city) else {
                leftOut.add(
                    Geofeed.Problem(
                        line: entry.line,
                        message:
                            "the database has no place in \(country): correct the country, or give \(entry.prefix) "
                            + "under geo.overrides, with latitude and longitude"))
                continue
            }
            said.append((entry.prefix, PlaceStatement(place)))
        }
        return (said, leftOut)
    }

    /// Skipped lines of a feed.
    private struct LeftOut {
        var problems: [Geofeed.Problem]
        var count: Int

        mutating func add(_ problem: Geofeed.Problem) {
            count += 1
            if problems.count < Geofeed.maximumProblems { problems.append(problem) }
        }

        func messages(for path: String) -> [String] {
            var lines = problems.map { "geofeed \(path):\($0.line): \($0.message); line skipped" }
            if count > problems.count {
                lines.append("geofeed \(path): \(count - problems.count) more lines skipped")
            }
            return lines
        }
    }
}

extension PlaceStatement {
    fileprivate init(_ known: KnownPlace) {
        var coordinates: Coordinates?
        if let latitude = known.latitudeMicrodegrees, let longitude = known.longitudeMicrodegrees {
            coordinates = Coordinates(latitude: latitude, longitude: longitude)
        }
        self.init(
            coordinates: coordinates, country: known.country, region: known.region, continent: known.continent,
            city: known.city, word: known.label)
    }

    /// Everything about a place.
    fileprivate init(_ place: Place) {
        self.init(
            isWhole: true, coordinates: place.coordinates, country: place.country, region: place.region,
            continent: place.continent, city: place.city)
    }
}
