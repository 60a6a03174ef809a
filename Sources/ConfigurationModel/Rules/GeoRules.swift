import IPNetworks

/// `geo`: the city database, and the additions to it.
struct GeoRules: NetworkRules, PlaceRules {
    let context: RuleContext

    func geo(
        _ declaration: ConfigurationDeclaration, _ root: Scope, state: PathSetting?
    ) -> GeoSettings? {
        let fallback = (state?.path ?? "/var/lib/nearcast") + "/city.mmdb"
        guard !declaration.geo.isAbsent else {
            return GeoSettings(
                database: PathSetting(path: fallback, mark: root.location), minimumBuild: nil, overrides: [],
                geofeed: nil, asnDatabase: nil, asns: [])
        }
        guard let located = declaration.geo.located else { return nil }
        let (declared, scope) = (located.value, root.nested("geo", located))
        let database = path(declared.database, "database", in: scope, default: fallback)
        let minimumBuild = minimumBuild(declared, scope)
        let overrides = overrides(declared, scope)
        let geofeed = optionalPath(declared.geofeed, "geofeed", in: scope)
        let asnDatabase = optionalPath(declared.asnDatabase, "asn_database", in: scope)
        let asns = asns(declared, scope)
        if let first = asns.first, declared.asnDatabase.isAbsent {
            report(
                first.mark, "geo.asns needs a database of autonomous systems",
                remedy: "add geo.asn_database: /path/to/asn.mmdb")
        }
        guard let database else { return nil }
        return GeoSettings(
            database: database, minimumBuild: minimumBuild, overrides: overrides, geofeed: geofeed,
            asnDatabase: asnDatabase, asns: asns)
    }

    private func minimumBuild(_ geo: GeoDeclaration, _ scope: Scope) -> BuildSetting? {
        let name = scope.name("minimum_build")
        guard let line = line(geo.minimumBuild, name, Expected.day) else { return nil }
        guard let day = CalendarDay(line.value) else {
            report(
                line.location, "\(name) is \(line.quoted), expected \(Expected.day)",
                remedy: "write it like 2023-01-31")
            return nil
        }
        return BuildSetting(day: day, mark: line.location)
    }

    // MARK: - Location data

    private func overrides(_ geo: GeoDeclaration, _ scope: Scope) -> [OverrideSettings] {
        let elements = known(geo.overrides, "overrides", .overrides, in: scope)
        var first: [IPPrefix: DocumentLocation] = [:]
        return elements.compactMap { element in
            let entry = Scope(scope.subject.entry(of: "overrides"), at: element.location)
            let declared = element.value
            guard let text = required(declared.prefix, "prefix", in: entry, example: "prefix: …"),
                let prefix = overridePrefix(text, entry.name("prefix")), let place = place(declared.place, entry),
                requireFirst(prefix, text, text.quoted, &first, scope.name("overrides"))
            else { return nil }
            return OverrideSettings(prefix: prefix, place: place, mark: text.location)
        }
    }

    private func asns(_ geo: GeoDeclaration, _ scope: Scope) -> [ASNSettings] {
        let elements = known(geo.asns, "asns", .asns, in: scope)
        var first: [Int: DocumentLocation] = [:]
        return elements.compactMap { element in
            let entry = Scope(scope.subject.entry(of: "asns"), at: element.location)
            let declared = element.value
            guard let number = required(declared.asn, "asn", in: entry, example: "asn: …"),
                let asn = integer(number, entry.name("asn"), .asn), let place = place(declared.place, entry),
                requireFirst(asn, number, "\"\(asn)\"", &first, scope.name("asns"))
            else { return nil }
            return ASNSettings(asn: UInt32(asn), place: place, mark: number.location)
        }
    }

    private func known<Element>(
        _ declared: DeclaredList<Element>, _ key: String, _ form: ListForm, in scope: Scope
    ) -> [Located<Element>] {
        guard let elements = list(declared, key, form, in: scope) else { return [] }
        let limit = ServerConfiguration.maximumOverrides
        guard elements.count <= limit else {
            report(
                elements[limit].location,
                "\(scope.name(key)) has \(elements.count) entries, expected at most \(limit)",
                remedy: "use geo.geofeed for the others")
            return []
        }
        return elements
    }

    /// Whether no earlier entry has the key.
    private func requireFirst<Key: Hashable, Value>(
        _ key: Key, _ declared: Located<Value>, _ shown: @autoclosure Words, _ first: inout [Key: DocumentLocation],
        _ name: @autoclosure Words
    ) -> Bool {
        if let earlier = first[key] {
            report(
                declared.location,
                "\(name()) has \(shown()) twice, first at \(earlier.reference(from: declared.location))",
                remedy: "remove one"
            )
            return false
        }
        first[key] = declared.location
        return true
    }

    private func overridePrefix(_ text: Located<String>, _ name: @autoclosure Words) -> IPPrefix? {
        guard let line = line(text, name(), Expected.network) else { return nil }
        func found() -> String { "\(name()) is \(line.quoted)" }
        guard let prefix = Self.prefix(line.value) else {
            report(
                line.location, "\(found()), expected \(Expected.network) without host bits",
                remedy: #"write it like 10.0.0.0/8 or "2001:db8::/32""#)
            return nil
        }
        guard !prefix.isSixToFour else {
            report(line.location, "\(found()), which is 6to4", remedy: "give its IPv4 network instead")
            return nil
        }
        guard !prefix.isMapped else {
            report(
                line.location, "\(found()), which is an IPv4-mapped IPv6 prefix and never looked up",
                remedy: "give the IPv4 network instead")
            return nil
        }
        return prefix
    }

    private func place(_ declared: PlaceDeclaration, _ scope: Scope) -> KnownPlace? {
        guard !declared.isEmpty else {
            report(
                scope.location, "\(scope.owner) has neither a place nor a label",
                remedy: "add latitude and longitude, or label")
            return nil
        }
        let before = context.problems.count
        if declared.latitude.isAbsent != declared.longitude.isAbsent {
            let missing = declared.latitude.isAbsent ? "latitude" : "longitude"
            report(
                scope.location, "\(scope.name(missing)) is missing",
                remedy: "give both latitude and longitude, or none")
        }
        let place = KnownPlace(
            latitudeMicrodegrees: coordinate(declared.latitude, .latitude, in: scope),
            longitudeMicrodegrees: coordinate(declared.longitude, .longitude, in: scope),
            country: country(declared.country, scope.name("country")),
            region: line(declared.region, scope.name("region"), Expected.region)?.value,
            continent: continent(declared.continent, scope.name("continent")),
            city: line(declared.city, scope.name("city"), Expected.city)?.value,
            label: label(declared.label, scope.name("label")))
        return context.problems.count == before ? place : nil
    }
}
