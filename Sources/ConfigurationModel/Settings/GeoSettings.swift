public import IPNetworks

/// `geo`: the city database, and what is known better than it.
public struct GeoSettings: Sendable {
    public let database: PathSetting
    /// A city database built before is refused; `nil`: any will do.
    public let minimumBuild: BuildSetting?
    /// At most ``ServerConfiguration/maximumOverrides``, prefixes unique.
    public let overrides: [OverrideSettings]
    /// A self-published feed (RFC 8805).
    public let geofeed: PathSetting?
    /// Tells the autonomous system of an address; there where `asns` has entries.
    public let asnDatabase: PathSetting?
    /// At most ``ServerConfiguration/maximumOverrides``, numbers unique.
    public let asns: [ASNSettings]

    /// The files it names.
    public var paths: [String] { [database.path] + [geofeed, asnDatabase].compactMap { $0?.path } }
}

/// The day on which a database must have been built, or after.
public struct BuildSetting: Sendable {
    public let day: CalendarDay
    public let mark: DocumentLocation
}

/// What an operator knows of addresses: what is given replaces what is known else. At least one is.
public struct KnownPlace: Sendable, Hashable {
    /// Millionths of a degree; both or none.
    public let latitudeMicrodegrees: Int32?
    public let longitudeMicrodegrees: Int32?
    /// Two upper-case letters (ISO 3166-1).
    public let country: String?
    /// As the city database names it.
    public let region: String?
    /// AF, AN, AS, EU, NA, OC or SA.
    public let continent: String?
    public let city: String?
    /// A word for rules to name: 1 to 63 of `A-Z a-z 0-9 . _ -`.
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
