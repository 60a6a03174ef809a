import IPNetworks

/// `nodes`: ids, addresses, host names and places.
extension ConfigurationRules {
    mutating func nodes(_ entries: [Entry<NodeDeclaration>], zones: ServedOrigins) -> [NodeSettings] {
        let limit = ServerConfiguration.maximumNodes
        if entries.count > limit {
            report(
                entries[limit].location, "nodes has \(entries.count) entries, expected at most \(limit)",
                remedy: "remove \(entries.count - limit)")
        }
        return distinct(entries, in: .nodes).compactMap { entry in
            let declared = entry.declaration
            _ = required(declared.addresses, "addresses", in: entry.scope, example: ListForm.addresses.example)
            let addresses = nodeAddresses(declared.addresses, "addresses", .addresses, "", of: entry)
            let overlay = nodeAddresses(declared.overlay, "overlay", .overlay, " overlay", of: entry)
            let hostname = hostname(entry, zones: zones)
            let location = location(entry)
            let capacity = integer(declared.capacity, entry.name("capacity"), .nodeCapacity)
            guard let location, !addresses.isEmpty else { return nil }
            return NodeSettings(
                id: entry.identifier.value, addresses: addresses, overlay: overlay, hostname: hostname,
                location: location, capacity: capacity.map(Double.init), mark: entry.location)
        }
    }

    /// - Parameter kind: the word before the family in messages.
    private mutating func nodeAddresses(
        _ declared: DeclaredList<String>, _ key: String, _ form: ListForm, _ kind: String,
        of entry: Entry<NodeDeclaration>
    ) -> [IPAddress] {
        guard let elements = list(declared, key, form, in: entry.scope) else { return [] }
        var addresses: [IPAddress] = []
        for element in elements {
            guard let address = address(element, "an entry of \(entry.name(key))", owner: entry.owner)
            else { continue }
            if addresses.contains(where: { $0.family == address.family }) {
                let family = address.family == .v4 ? "IPv4" : "IPv6"
                report(
                    element.location,
                    "\(entry.owner) has a second\(kind) \(family) address, \(address), expected at most one IPv4 and "
                        + "one IPv6 address",
                    remedy: "define one node per address")
                continue
            }
            addresses.append(address)
        }
        return addresses
    }

    private mutating func location(_ entry: Entry<NodeDeclaration>) -> NodeLocation? {
        let example = "location: {latitude: 50.11, longitude: 8.68}"
        guard let located = required(entry.declaration.location, "location", in: entry.scope, example: example)
        else { return nil }
        let (declared, scope) = (located.value, entry.scope.nested("location", located))
        for (value, coordinate) in [(declared.latitude, Coordinate.latitude), (declared.longitude, .longitude)] {
            _ = required(value, coordinate.rawValue, in: scope, example: coordinate.example)
        }
        let latitude = coordinate(declared.latitude, .latitude, in: scope)
        let longitude = coordinate(declared.longitude, .longitude, in: scope)
        let country = country(declared.country, scope.name("country"))
        let continent = continent(declared.continent, scope.name("continent"))
        let region = line(declared.region, scope.name("region"), Expected.region)?.value
        guard let latitude, let longitude else { return nil }
        return NodeLocation(
            latitudeMicrodegrees: latitude, longitudeMicrodegrees: longitude, country: country, region: region,
            continent: continent, mark: scope.location)
    }
}
