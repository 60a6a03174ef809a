import ConfigurationModel
public import Lints

extension GeoSummary {
    /// Days after which a database is old: networks change hands, and a city database of four months sends a part of the
    /// clients to the wrong place.
    public static let maximumAgeDays: UInt64 = 120

    /// A warning if the database is old.
    ///
    /// - Parameter now: in seconds since 1970.
    public func ageWarning(at now: UInt64) -> LintWarning? {
        guard !path.isEmpty, now > buildEpoch, case let days = (now - buildEpoch) / 86_400, days > Self.maximumAgeDays
        else { return nil }
        return LintWarning(
            .oldDatabase, at: path,
            "the database was built on \(CalendarDay(secondsSince1970: buildEpoch)), \(days) days ago",
            remedy: "install a newer one with `nearcast geo update`")
    }
}

extension LoadedModel {
    /// The warnings, with those that depend on the time.
    ///
    /// - Parameter now: in seconds since 1970.
    public func warnings(at now: UInt64) -> [LintWarning] {
        warnings + configuration.allowed(geo.summary.ageWarning(at: now).map { [$0] } ?? [])
    }
}
