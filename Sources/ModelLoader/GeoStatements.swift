import GeoData
import IPNetworks
import Location
import ServerConfiguration

/// What a configuration says of addresses over what its files say.
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

    /// All that is said over the database. Override over feed over autonomous system; in each the longer prefix over the
    /// shorter; labels of rules beside all.
    ///
    /// - Throws: `LoadProblem` with each line of the feed that names what the database does not know.
    func overlay(
        asns data: ASNData?, geofeed: GeoSource<Geofeed>?, places: PlaceTable
    ) throws(LoadProblem) -> PlaceOverlay {
        var overlay = PlaceOverlay()
        if let data, !asns.isEmpty { overlay.add(v4: data.v4, v6: data.v6, statements: asns) }
        if let geofeed { overlay.add(try Self.statements(geofeed.content, path: geofeed.path, places)) }
        overlay.add(overrides.map { ($0.prefix, $0.statement) })
        overlay.add(prefixes.map { ($0.prefix, $0.statement) })
        return overlay
    }

    private static func statements(
        _ feed: Geofeed, path: String, _ places: PlaceTable
    ) throws(LoadProblem) -> [(prefix: IPPrefix, statement: PlaceStatement)] {
        let directory = PlaceDirectory(places)
        var problems: [String] = []
        var said: [(prefix: IPPrefix, statement: PlaceStatement)] = []
        for entry in feed.entries {
            guard let country = entry.country else {
                said.append((entry.prefix, PlaceStatement(isWhole: true)))
                continue
            }
            guard let place = directory.find(country: country, region: entry.region, city: entry.city) else {
                problems.append(
                    "geofeed \(path):\(entry.line): the database knows no place in \(country): correct the country, or give "
                        + "\(entry.prefix) under geo.overrides, with latitude and longitude")
                if problems.count == Geofeed.maximumProblems { break }
                continue
            }
            said.append((entry.prefix, PlaceStatement(place)))
        }
        guard problems.isEmpty else { throw LoadProblem(problems) }
        return said
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

    /// All of a place.
    fileprivate init(_ place: Place) {
        self.init(
            isWhole: true, coordinates: place.coordinates, country: place.country, region: place.region,
            continent: place.continent, city: place.city)
    }
}
