/// `geo`.
public struct GeoDeclaration: Sendable {
    public var database: Declared<String> = .absent
    public var minimumBuild: Declared<String> = .absent
    public var overrides: DeclaredList<OverrideDeclaration> = .absent
    public var geofeed: Declared<String> = .absent
    public var asnDatabase: Declared<String> = .absent
    public var asns: DeclaredList<ASNDeclaration> = .absent

    public static let keys = ["database", "minimum_build", "overrides", "geofeed", "asn_database", "asns"]

    public init() {}
}

/// An entry of `geo.overrides`.
public struct OverrideDeclaration: Sendable {
    public var prefix: Declared<String> = .absent
    public var place = PlaceDeclaration()

    public static let keys = ["prefix"] + PlaceDeclaration.keys

    public init() {}
}

/// An entry of `geo.asns`.
public struct ASNDeclaration: Sendable {
    public var asn: Declared<Int> = .absent
    public var place = PlaceDeclaration()

    public static let keys = ["asn"] + PlaceDeclaration.keys

    public init() {}
}

/// Location data. It is not a mapping of its own: its keys are in the entry.
public struct PlaceDeclaration: Sendable {
    /// Decimal degrees, as text.
    public var latitude: Declared<String> = .absent
    /// Decimal degrees, as text.
    public var longitude: Declared<String> = .absent
    public var country: Declared<String> = .absent
    public var region: Declared<String> = .absent
    public var continent: Declared<String> = .absent
    public var city: Declared<String> = .absent
    public var label: Declared<String> = .absent

    public static let keys = ["latitude", "longitude", "country", "region", "continent", "city", "label"]

    public init() {}

    /// Whether no key of it is given.
    var isEmpty: Bool {
        [latitude, longitude, country, region, continent, city, label].allSatisfy(\.isAbsent)
    }
}
