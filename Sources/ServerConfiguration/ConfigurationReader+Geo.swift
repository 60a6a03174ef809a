import IPNetworks
import Yams

/// `geo`: the city database, and what is known better than it.
extension ConfigurationReader {
    private static let placeKeys = ["latitude", "longitude", "country", "region", "continent", "city", "label"]

    mutating func geo(_ root: Fields, state: PathSetting?) -> GeoSettings? {
        let fallback = (state?.path ?? "/var/lib/nearcast") + "/city.mmdb"
        let known = ["database", "minimum_build", "overrides", "geofeed", "asn_database", "asns"]
        guard let node = root["geo"] else {
            return GeoSettings(
                database: PathSetting(path: fallback, mark: root.mark), minimumBuild: nil, overrides: [], geofeed: nil,
                asnDatabase: nil, asns: [])
        }
        guard let fields = fields(node, name: "geo", prefix: "geo.", owner: "", known: known) else { return nil }
        let database = path("database", in: fields, default: fallback)
        let minimumBuild = minimumBuild(fields)
        let overrides = overrides(fields)
        let geofeed = optionalPath("geofeed", in: fields)
        let asnDatabase = optionalPath("asn_database", in: fields)
        let asns = asns(fields)
        if let first = asns.first, fields["asn_database"] == nil {
            report(
                first.mark,
                "geo.asns needs a database that tells who announces an address: add geo.asn_database: /path/to/asn.mmdb"
            )
        }
        guard let database else { return nil }
        return GeoSettings(
            database: database, minimumBuild: minimumBuild, overrides: overrides, geofeed: geofeed,
            asnDatabase: asnDatabase, asns: asns)
    }

    private mutating func optionalPath(_ key: String, in fields: Fields) -> PathSetting? {
        fields[key] == nil ? nil : path(key, in: fields, default: "")
    }

    private mutating func minimumBuild(_ fields: Fields) -> BuildSetting? {
        guard let node = fields["minimum_build"] else { return nil }
        let expected = "a day from 1970-01-01 on"
        guard let text = text(node, name: fields.name("minimum_build"), expected: expected) else { return nil }
        guard let day = CalendarDay(text) else {
            report(
                node.place,
                "\(fields.name("minimum_build")) is \(node.kind), expected \(expected): write it like 2023-01-31")
            return nil
        }
        return BuildSetting(day: day, mark: node.place)
    }

    // MARK: - Overrides

    private mutating func overrides(_ fields: Fields) -> [OverrideSettings] {
        let example = "overrides: [{prefix: 10.0.0.0/8, latitude: 50.11, longitude: 8.68, country: DE}]"
        return known(fields, "overrides", of: "override", by: "prefix", example: example) { reader, node, name in
            reader.overridePrefix(node, name: name)
        }.map { OverrideSettings(prefix: $0.key, place: $0.place, mark: $0.mark) }
    }

    private mutating func asns(_ fields: Fields) -> [ASNSettings] {
        let example = "asns: [{asn: 64500, label: partner}]"
        return known(fields, "asns", of: "autonomous system", by: "asn", example: example) { reader, node, name in
            reader.integer(node, name: name, in: 1...Int(UInt32.max))
        }.map { ASNSettings(asn: UInt32($0.key), place: $0.place, mark: $0.mark) }
    }

    private mutating func overridePrefix(_ node: Node, name: String) -> IPPrefix? {
        let expected = "a network"
        guard let text = text(node, name: name, expected: expected) else { return nil }
        guard let prefix = IPPrefix(text) ?? IPAddress(text).map({ IPPrefix(address: $0, length: $0.family.bitWidth) })
        else {
            report(
                node.place,
                "\(name) is \(node.kind), expected \(expected) without host bits: write it like 10.0.0.0/8 or "
                    + #""2001:db8::/32""#)
            return nil
        }
        guard !prefix.isSixToFour else {
            report(node.place, "\(name) is \(node.kind), which is 6to4: give the IPv4 network that it stands for")
            return nil
        }
        guard !prefix.isMapped else {
            report(
                node.place,
                "\(name) is \(node.kind), which is IPv4 in the form of IPv6 and never looked up: give the IPv4 network")
            return nil
        }
        return prefix
    }

    /// Reads a list of mappings that say of something, told by `key`, where it is; no two of the same.
    private mutating func known<Key: Hashable>(
        _ fields: Fields, _ list: String, of word: String, by key: String, example: String,
        read: (inout ConfigurationReader, Node, String) -> Key?
    ) -> [(key: Key, place: KnownPlace, mark: SourceMark)] {
        let name = fields.name(list)
        guard let node = fields[list], let elements = self.list(node, name: name, of: word, example: example) else {
            return []
        }
        let limit = ServerConfiguration.maximumOverrides
        guard elements.count <= limit else {
            report(
                elements[limit].place,
                "\(name) has \(elements.count) entries, expected at most \(limit): use geo.geofeed for the others")
            return []
        }
        var first: [Key: SourceMark] = [:]
        return elements.compactMap { element in
            let keys = [key] + Self.placeKeys
            let owner = "an entry of \(name)"
            guard let entry = self.fields(element, name: owner, prefix: "", owner: owner, known: keys),
                let node = required(key, in: entry, example: "\(key): …"),
                let value = read(&self, node, entry.name(key)), let place = knownPlace(entry)
            else { return nil }
            if let earlier = first[value] {
                report(node.place, "\(name) has \(node.kind) twice, first at line \(earlier.line): remove one")
                return nil
            }
            first[value] = node.place
            return (value, place, node.place)
        }
    }

    private mutating func knownPlace(_ fields: Fields) -> KnownPlace? {
        guard Self.placeKeys.contains(where: { fields[$0] != nil }) else {
            report(fields.mark, "\(fields.owner) says neither place nor label: add latitude and longitude, or label")
            return nil
        }
        let before = problems.count
        if (fields["latitude"] == nil) != (fields["longitude"] == nil) {
            let missing = fields["latitude"] == nil ? "latitude" : "longitude"
            report(fields.mark, "\(fields.name(missing)) is missing: give both latitude and longitude, or none")
        }
        let place = KnownPlace(
            latitudeMicrodegrees: fields["latitude"].flatMap {
                coordinate($0, name: fields.name("latitude"), limit: 90, example: "latitude: 50.11")
            },
            longitudeMicrodegrees: fields["longitude"].flatMap {
                coordinate($0, name: fields.name("longitude"), limit: 180, example: "longitude: 8.68")
            },
            country: country(fields),
            region: fields["region"].flatMap {
                text($0, name: fields.name("region"), expected: "the name of a region")
            },
            continent: continent(fields),
            city: fields["city"].flatMap { text($0, name: fields.name("city"), expected: "the name of a city") },
            label: fields["label"].flatMap { label($0, name: fields.name("label")) })
        return problems.count == before ? place : nil
    }

    private mutating func label(_ node: Node, name: String) -> String? {
        let expected = "1 to 63 letters, digits, dots, hyphens or underscores"
        guard let text = text(node, name: name, expected: expected) else { return nil }
        guard Self.isID(text) else {
            report(node.place, "\(name) is \(node.kind), expected \(expected): rename it")
            return nil
        }
        return text
    }
}
