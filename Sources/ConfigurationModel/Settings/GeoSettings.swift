public import IPNetworks

/// `geo`: the city database, and the additions to it.
public struct GeoSettings: Sendable {
    public let database: PathSetting
    /// The earliest build day of an accepted city database. `nil`: any.
    public let minimumBuild: BuildSetting?
    /// At most ``ServerConfiguration/maximumOverrides``, with unique prefixes.
    public let overrides: [OverrideSettings]
    /// A self-published feed (RFC 8805).
    public let geofeed: PathSetting?
    /// The ASN database. Present if `asns` has entries.
    public let asnDatabase: PathSetting?
    /// At most ``ServerConfiguration/maximumOverrides``, with unique numbers.
    public let asns: [ASNSettings]

    /// The files it names.
    public var paths: [String] { [database.path] + [geofeed, asnDatabase].compactMap { $0?.path } }
}

/// The earliest accepted build day of a database.
public struct BuildSetting: Sendable {
    public let day: CalendarDay
    public let mark: DocumentLocation
}

/// Location data from the operator. Given values replace those of the database. At least one is given.
public struct KnownPlace: Sendable, Hashable {
    /// Millionths of a degree. Both or neither.
    public let latitudeMicrodegrees: Int32?
    public let longitudeMicrodegrees: Int32?
    /// Two upper-case letters (ISO 3166-1).
    public let country: String?
    /// As named in the city database.
    public let region: String?
    /// AF, AN, AS, EU, NA, OC or SA.
    public let continent: String?
    public let city: String?
    /// A label for rules: 1 to 63 of `A-Z a-z 0-9 . _ -`.
    public let label: String?
}

/// An entry of `geo.overrides`.
public struct OverrideSettings: Sendable {
    public let prefix: IPPrefix
    public let place: KnownPlace
    public let mark: DocumentLocation
}

/// An entry of `geo.asns`.
public struct ASNSettings: Sendable {
    public let asn: UInt32
    public let place: KnownPlace
    public let mark: DocumentLocation
}
