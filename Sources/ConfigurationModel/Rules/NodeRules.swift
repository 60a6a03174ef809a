import DNSWire
import IPNetworks

/// `nodes`: ids, addresses, host names and places.
struct NodeRules: EntryRules, NetworkRules, PlaceRules {
    let context: RuleContext
    let names: DeclaredNames

    func nodes(_ entries: [Entry<NodeDeclaration>]) -> [NodeSettings] {
        let limit = ServerConfiguration.maximumNodes
        if entries.count > limit {
            report(
                entries[limit].location, "nodes has \(entries.count) entries, expected at most \(limit)",
                remedy: "remove \(entries.count - limit)")
        }
        return distinct(entries, in: .nodes).compactMap { entry in
            let declared = entry.declaration
            let isProvider = !declared.provider.isAbsent
            if isProvider {
                refuse(declared.addresses, "addresses", entry)
                refuse(declared.overlay, "overlay", entry)
                refuse(declared.hostname, "hostname", entry)
            } else {
                _ = required(
                    declared.addresses, "addresses", in: entry.scope,
                    example: "\(ListForm.addresses.example), or provider: cdn.example.net for an outside host")
            }
            let addresses = nodeAddresses(declared.addresses, "addresses", .addresses, "", of: entry)
            let overlay = nodeAddresses(declared.overlay, "overlay", .overlay, " overlay", of: entry)
            let hostname = hostname(entry)
            let provider = provider(entry)
            let texts = texts(entry)
            let location = location(entry)
            let capacity = integer(declared.capacity, entry.name("capacity"), .nodeCapacity)
            guard isProvider ? provider != nil : location != nil && !addresses.isEmpty else { return nil }
            return NodeSettings(
                id: entry.identifier.value, addresses: addresses, overlay: overlay, hostname: hostname,
                provider: provider, texts: texts, location: location, capacity: capacity.map(Double.init),
                mark: entry.location)
        }
    }

    /// - Parameter kind: the word before the family in messages.
    private func nodeAddresses(
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

    private func texts(_ entry: Entry<NodeDeclaration>) -> [String] {
        guard let elements = list(entry.declaration.texts, "texts", .texts, in: entry.scope) else { return [] }
        let name = entry.name("texts")
        if elements.count > 8 {
            report(
                elements[8].location, "\(name) has \(elements.count) entries, expected at most 8",
                remedy: "remove \(elements.count - 8)")
        }
        var texts: [String] = []
        for element in elements {
            guard let line = line(element, "an entry of \(name)", Expected.nodeText) else { continue }
            let isRepeated = texts.contains(line.value)
            guard line.value.utf8.count <= 1000, !isRepeated else {
                report(
                    line.location,
                    "an entry of \(name) is \(line.quoted), expected \(isRepeated ? "each once" : Expected.nodeText)",
                    remedy: isRepeated ? "remove it" : "shorten it")
                continue
            }
            texts.append(line.value)
        }
        return texts
    }

    /// Reports a key that a provider cannot have.
    private func refuse<Value>(_ declared: Declared<Value>, _ key: String, _ entry: Entry<NodeDeclaration>) {
        guard let stray = declared.located else { return }
        report(
            stray.key, "\(entry.owner) has provider and \(key): a provider is known by its name alone",
            remedy: "remove one of them")
    }

    /// An outside host. Names in the zones served here are for `hostname`.
    private func provider(_ entry: Entry<NodeDeclaration>) -> HostnameSetting? {
        let label = entry.name("provider")
        requireHostName(
            entry.declaration.provider, label, instead: "write it as addresses, with a location, instead of provider")
        guard let line = line(entry.declaration.provider, label, Expected.domainName),
            let name = domainName(line, label)
        else { return nil }
        if names.origins.contains(name) {
            report(
                line.location, "\(label) is \(line.quoted), which is in a zone served here",
                remedy: "give the node addresses, and this name as its hostname")
        }
        return HostnameSetting(name: name, mark: line.location)
    }

    private func domainName(_ line: Located<String>, _ label: String) -> DomainName? {
        do { return try DomainName(line.value) } catch {
            report(line.location, "\(label) is not a domain name (\(error))", remedy: "correct it")
            return nil
        }
    }

    private func hostname(_ entry: Entry<NodeDeclaration>) -> HostnameSetting? {
        let label = entry.name("hostname")
        guard let line = line(entry.declaration.hostname, label, Expected.domainName),
            let name = domainName(line, label)
        else { return nil }
        if names.origins.lacks(name) {
            report(
                line.location, "\(label) is \(line.quoted), which is in none of the zones (\(names.origins.excerpt))",
                remedy: "add its zone under zones or correct the name")
        }
        return HostnameSetting(name: name, mark: line.location)
    }

    private func location(_ entry: Entry<NodeDeclaration>) -> NodeLocation? {
        let example = "location: {latitude: 50.11, longitude: 8.68}"
        if entry.declaration.location.isAbsent, !entry.declaration.provider.isAbsent { return nil }
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
