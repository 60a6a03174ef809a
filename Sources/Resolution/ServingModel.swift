public import CFastPathABI
public import DNSWire
public import IPNetworks
public import Location
public import Steering
public import Zones

/// A name whose addresses are chosen for each client.
public struct TailoredName: Sendable {
    public let name: DomainName
    /// What decides for senders in no view, and in views that change nothing.
    public let choice: AddressChoice
    /// What decides for senders in other views, by the view's number.
    public let views: [Int: AddressChoice]
    /// Steering hash of the lower-cased wire name; kept, because every decision needs it.
    public let steeringHash: UInt64

    public init(name: DomainName, choice: AddressChoice, views: [Int: AddressChoice] = [:]) {
        self.name = name
        self.choice = choice
        self.views = views
        steeringHash = Steering.steeringHash(name.lowercasedWire)
    }

    /// A name that one table a family decides, for everyone.
    public init(name: DomainName, rule: nc_rule, v4: Int?, v6: Int?, pool: String, policy: String) {
        let chains = [v4, v6].map { $0.map { SteeringChain(table: $0, rule: rule) } }
        self.init(
            name: name,
            choice: AddressChoice(rule: rule, v4: chains[0], v6: chains[1], pool: pool, policy: policy))
    }

    public var rule: nc_rule { choice.rule }
    /// Index of the first steering table for A, if any node of the pool has an IPv4 address.
    public var v4: Int? { choice.v4?.table }
    /// The same for AAAA.
    public var v6: Int? { choice.v6?.table }
    public var pool: String { choice.pool }
    public var policy: String { choice.policy }

    public func table(_ family: IPFamily) -> Int? { family == .v4 ? v4 : v6 }
}

/// What decides a name's addresses for some of its clients.
public struct AddressChoice: Sendable {
    /// Its all-down rule is the fast path's; the chains say more.
    public let rule: nc_rule
    /// Of type A, if any node of the pool has an IPv4 address.
    public let v4: SteeringChain?
    /// The same for AAAA.
    public let v6: SteeringChain?
    /// As configured, for people.
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

/// Everything that answers are made of, but the nodes' states: immutable, shared by both paths.
public struct ServingModel: Sendable {
    /// Number of the model since the daemon started, from 1.
    public let epoch: UInt64
    /// Hash of all that decides answers: equal digests give equal answers.
    public let digest: UInt64
    public let zones: ZoneSet
    public let tailored: [TailoredName]
    /// Names with tailored records of other types, at most one entry a name.
    public let tailoredRecords: [TailoredRecords]
    package let tailoredHosts: TailoredHosts
    public let views: Views
    public let steering: SteeringTables
    public let location: LocationTable
    public let places: PlaceTable
    /// Of `tailored` and `tailoredRecords`.
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

    /// The same with other zones. Tailored names must be as they were.
    public func replacing(_ zones: ZoneSet, epoch: UInt64, digest: UInt64) -> ServingModel {
        ServingModel(self, zones, epoch: epoch, digest: digest)
    }
}

extension UInt64 {
    /// Sixteen digits, as digests are shown.
    public var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
