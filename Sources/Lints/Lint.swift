/// A kind of warning: something that is served as it is, and is probably a mistake. The id does not change, so that a
/// configuration and scripts can name it.
public enum Lint: String, CaseIterable, Hashable, Sendable {
    // Records of zone files.
    case ttlTooLong = "zone-ttl-too-long"
    case ttlsDiffer = "zone-ttls-differ"
    case repeatedRecord = "zone-repeated-record"
    case serverAddress = "zone-server-address"
    case belowDelegation = "zone-below-delegation"
    case finalDot = "zone-final-dot"
    case danglingTarget = "zone-dangling-target"
    case targetAlias = "zone-target-alias"
    case targetAddress = "zone-target-address"
    case spf = "zone-spf"
    case serial = "zone-serial"
    case recordChange = "zone-record-change"

    // Values of the configuration.
    case unusedNode = "unused-node"
    case unusedPolicy = "unused-policy"
    case unusedView = "unused-view"
    case sharedAddress = "shared-address"
    case sharedTarget = "shared-check-target"
    case ownLookup = "lookup-own-server"
    case shortTTL = "ttl-below-detection"
    case longTTL = "ttl-slows-failover"
    case coordinates = "coordinates"
    case interface = "missing-interface"
    case hostname = "hostname-without-address"
    case policy = "policy-without-effect"
    case viewTypes = "view-record-types"
    case override = "geo-override"
    case geofeed = "geo-geofeed"
    case oldDatabase = "geo-database-age"
    case certificate = "certificate-expiry"

    /// The ids of all, in alphabetical order.
    public static var ids: [String] { allCases.map(\.rawValue).sorted() }
}

/// A warning at a place.
public struct LintWarning: Hashable, Sendable, CustomStringConvertible {
    public let lint: Lint
    /// File, line and column, as `zones/example.com.zone:12:5`. `nil`: it has none.
    public let place: String?
    /// What was found.
    public let text: String
    /// What to do. `nil`: the text says it.
    public let remedy: String?

    public init(_ lint: Lint, at place: String?, _ text: String, remedy: String? = nil) {
        self.lint = lint
        self.place = place
        self.text = text
        self.remedy = remedy
    }

    /// `nearcast.yaml:12:5: text: remedy`.
    public var description: String {
        [place, text, remedy].compactMap(\.self).joined(separator: ": ")
    }
}
