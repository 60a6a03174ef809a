import IPNetworks
import Yams

/// `nodes`: ids, addresses, host names and places.
extension ConfigurationReader {
    static let nodeSection = Section(
        key: "nodes", word: "node", identifier: "id",
        known: ["id", "addresses", "overlay", "hostname", "location", "capacity", "health"],
        identifierExample: "fra1",
        example: "nodes: [{id: fra1, addresses: [198.51.100.10], location: {latitude: 50.11, longitude: 8.68}}]")

    mutating func nodes(_ entries: [Entry], zones: ServedOrigins) -> [NodeSettings] {
        let limit = ServerConfiguration.maximumNodes
        if entries.count > limit {
            report(
                entries[limit].fields.mark,
                "nodes has \(entries.count) entries, expected at most \(limit): remove \(entries.count - limit)")
        }
        return distinct(entries, in: Self.nodeSection).compactMap { entry in
            let addresses = addresses(entry)
            let overlay = overlay(entry)
            let hostname = hostname(entry, zones: zones)
            let location = location(entry)
            let capacity = entry.fields["capacity"].flatMap {
                integer($0, name: entry.fields.name("capacity"), in: 1...1_000_000_000)
            }
            guard let location, !addresses.isEmpty else { return nil }
            return NodeSettings(
                id: entry.identifier.text, addresses: addresses, overlay: overlay, hostname: hostname,
                location: location, capacity: capacity.map(Double.init),
                mark: entry.fields.mark)
        }
    }

    private mutating func addresses(_ entry: Entry) -> [IPAddress] {
        let example = #"addresses: [198.51.100.10, "2001:db8:10::1"]"#
        guard let node = required("addresses", in: entry.fields, example: example) else { return [] }
        return addresses(node, "addresses", of: entry, example: example)
    }

    private mutating func overlay(_ entry: Entry) -> [IPAddress] {
        guard let node = entry.fields["overlay"] else { return [] }
        return addresses(node, "overlay", of: entry, example: #"overlay: [10.1.0.1, "fd00::1"]"#)
    }

    private mutating func addresses(_ node: Node, _ key: String, of entry: Entry, example: String) -> [IPAddress] {
        guard let elements = list(node, name: entry.fields.name(key), of: "IP address", example: example)
        else { return [] }
        let kind = key == "overlay" ? " overlay" : ""
        var addresses: [IPAddress] = []
        for element in elements {
            guard let address = address(element, owner: entry.owner, key: key) else { continue }
            if addresses.contains(where: { $0.family == address.family }) {
                let family = address.family == .v4 ? "IPv4" : "IPv6"
                report(
                    element.place,
                    "\(entry.owner) has a second\(kind) \(family) address, \(address), expected at most one IPv4 and one IPv6 "
                        + "address: define one node per address")
                continue
            }
            addresses.append(address)
        }
        return addresses
    }

    /// - Parameter key: The list that the address is an entry of.
    mutating func address(_ node: Node, owner: String, key: String = "addresses") -> IPAddress? {
        let expected = "an IPv4 or IPv6 address"
        guard let text = text(node, name: "an entry of \(key) of \(owner)", expected: expected) else { return nil }
        if let address = IPAddress(text) { return address }
        let remedy =
            SocketEndpoint(text) != nil
            ? "remove the port" : #"write it like 198.51.100.10 or "2001:db8:10::1""#
        report(node.place, "\(owner) has the address \(Spelling.quoted(text)), expected \(expected): \(remedy)")
        return nil
    }

    private mutating func location(_ entry: Entry) -> NodeLocation? {
        let example = "location: {latitude: 50.11, longitude: 8.68}"
        let known = ["latitude", "longitude", "country", "region", "continent"]
        guard let node = required("location", in: entry.fields, example: example),
            let fields = fields(
                node, name: entry.fields.name("location"), prefix: "location.", owner: entry.owner, known: known)
        else { return nil }
        let latitude = coordinate("latitude", limit: 90, example: "latitude: 50.11", in: fields)
        let longitude = coordinate("longitude", limit: 180, example: "longitude: 8.68", in: fields)
        let country = country(fields)
        let continent = continent(fields)
        let region = fields["region"].flatMap {
            text($0, name: fields.name("region"), expected: "the name of a region")
        }
        guard let latitude, let longitude else { return nil }
        return NodeLocation(
            latitudeMicrodegrees: latitude, longitudeMicrodegrees: longitude, country: country, region: region,
            continent: continent, mark: fields.mark)
    }

    private mutating func coordinate(_ key: String, limit: Int32, example: String, in fields: Fields) -> Int32? {
        guard let node = required(key, in: fields, example: example) else { return nil }
        return coordinate(node, name: fields.name(key), limit: limit, example: example)
    }

    /// Reads degrees as millionths.
    mutating func coordinate(_ node: Node, name: String, limit: Int32, example: String) -> Int32? {
        let expected = "decimal degrees from -\(limit) to \(limit)"
        guard let text = number(node, name: name, expected: expected) else { return nil }
        do {
            return try Microdegrees.parse(text, limit: limit)
        } catch {
            let remedy = error == .malformed ? "write it like \(example)" : "correct it"
            report(node.place, "\(name) is \(node.kind), expected \(expected): \(remedy)")
            return nil
        }
    }

    mutating func country(_ fields: Fields) -> String? {
        fields["country"].flatMap { countryCode($0, name: fields.name("country")) }
    }

    mutating func countryCode(_ node: Node, name: String) -> String? {
        let expected = "a two-letter country code (ISO 3166-1)"
        guard let text = text(node, name: name, expected: expected) else { return nil }
        let code = text.uppercased()
        guard CountryCodes.all.contains(code) else {
            let remedy = code == "UK" ? "write GB" : code.utf8.count == 2 ? "correct it" : "write it like DE"
            report(node.place, "\(name) is \(node.kind), expected \(expected): \(remedy)")
            return nil
        }
        return code
    }

    mutating func continent(_ fields: Fields) -> String? {
        fields["continent"].flatMap { continentCode($0, name: fields.name("continent")) }
    }

    mutating func continentCode(_ node: Node, name: String) -> String? {
        let expected = Spelling.alternatives(CountryCodes.continents)
        guard let text = text(node, name: name, expected: expected) else { return nil }
        guard CountryCodes.continents.contains(text.uppercased()) else {
            report(node.place, "\(name) is \(node.kind), expected \(expected): use the continent's code")
            return nil
        }
        return text.uppercased()
    }
}
