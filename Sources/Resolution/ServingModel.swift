public import CFastPathABI
public import DNSWire
public import IPNetworks
public import Location
public import Steering
public import Zones

/// A name whose addresses are chosen for each client.
public struct TailoredName: Sendable {
    public let name: DomainName
    /// For senders in no view, and in views without a choice of their own.
    public let choice: AddressChoice
    /// For senders in other views, by the view's number.
    public let views: [Int: AddressChoice]
    /// Steering hash of the lower-case wire name. Stored because every decision needs it.
    public let steeringHash: UInt64

    public init(name: DomainName, choice: AddressChoice, views: [Int: AddressChoice] = [:]) {
        self.name = name
        self.choice = choice
        self.views = views
        steeringHash = Steering.steeringHash(name.lowercasedWire)
    }

    /// A name that is decided by one table per family for every client.
    public init(name: DomainName, rule: nc_rule, v4: Int?, v6: Int?, pool: String, policy: String) {
        let chains = [v4, v6].map { $0.map { SteeringChain(table: $0, rule: rule) } }
        self.init(
            name: name,
            choice: AddressChoice(rule: rule, v4: chains[0], v6: chains[1], pool: pool, policy: policy))
    }

    public var rule: nc_rule { choice.rule }
    /// Index of the first steering table for A; `nil` if no node of the pool has an IPv4 address.
    public var v4: Int? { choice.v4?.table }
    /// The same for AAAA.
    public var v6: Int? { choice.v6?.table }
    public var pool: String { choice.pool }
    public var policy: String { choice.policy }

    public func table(_ family: IPFamily) -> Int? { family == .v4 ? v4 : v6 }
}

/// How a name's addresses are chosen for some of its clients.
public struct AddressChoice: Sendable {
    /// Its all-down rule is what the fast path applies; the chains are more detailed.
    public let rule: nc_rule
    /// For type A; `nil` if no node of the pool has an IPv4 address.
    public let v4: SteeringChain?
    /// The same for AAAA.
    public let v6: SteeringChain?
    /// As configured, for display.
    public let pool: String
    public let policy: String

    public init(rule: nc_rule, v4: SteeringChain?, v6: SteeringChain?, pool: String, policy: String) {
        self.rule = rule
        self.v4 = v4
        self.v6 = v6
        self.pool = pool
        self.policy = policy
    }

    public func chain(_ family: IPFamily) -> SteeringChain? { family == .v4 ? v4 : v6 }
}

/// Everything that answers are built from, except node states. Immutable, and shared by both paths.
public struct ServingModel: Sendable {
    /// Number of the model since the daemon started, from 1; raised with every change of answers.
    public let epoch: UInt64
    /// Hash of everything that decides answers: models with equal digests give equal answers.
    public let digest: UInt64
    public let zones: ZoneSet
    public let tailored: [TailoredName]
    /// Names with tailored records of other types. A name may have several entries of different types, unless one is an
    /// alias.
    public let tailoredRecords: [TailoredRecords]
    package let tailoredHosts: TailoredHosts
    public let views: Views
    public let steering: SteeringTables
    public let location: LocationTable
    public let places: PlaceTable
    /// Index of `tailored` and `tailoredRecords`.
    let index: TailoredIndex

    public init(
        epoch: UInt64, digest: UInt64, zones: ZoneSet, tailored: [TailoredName],
        tailoredRecords: [TailoredRecords] = [], views: Views = Views(), steering: SteeringTables,
        location: LocationTable, places: PlaceTable
    ) {
        self.epoch = epoch
        self.digest = digest
        self.zones = zones
        self.tailored = tailored
        self.tailoredRecords = tailoredRecords
        tailoredHosts = TailoredHosts(tailoredRecords)
        self.views = views
        self.steering = steering
        self.location = location
        self.places = places
        index = TailoredIndex(tailored, tailoredRecords)
    }

    private init(_ earlier: ServingModel, _ zones: ZoneSet, epoch: UInt64, digest: UInt64) {
        (self.epoch, self.digest, self.zones) = (epoch, digest, zones)
        (tailored, tailoredRecords, index) = (earlier.tailored, earlier.tailoredRecords, earlier.index)
        tailoredHosts = earlier.tailoredHosts
        (views, steering) = (earlier.views, earlier.steering)
        (location, places) = (earlier.location, earlier.places)
    }

    /// This model with other zones. Their tailored names must be unchanged.
    public func replacing(_ zones: ZoneSet, epoch: UInt64, digest: UInt64) -> ServingModel {
        ServingModel(self, zones, epoch: epoch, digest: digest)
    }
}

extension UInt64 {
    /// Sixteen hexadecimal digits, the form in which digests are displayed.
    public var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
