public import IPNetworks

/// How a node's state follows from its checks.
public struct HealthRules: Hashable, Sendable {
    /// Families of the addresses that are answered, IPv4 first. Empty: it has no address, and its name is answered.
    public let families: [IPFamily]
    /// Empty: the node counts as up.
    public let checks: [Check]
    /// Milliseconds in which the share grows back to full after a recovery. 0: at once.
    public let slowStartMilliseconds: Int64
    /// `nil`: the share does not depend on the load.
    public let load: LoadRules?

    public init(
        families: [IPFamily] = [], checks: [Check] = [], slowStartMilliseconds: Int64 = 60_000, load: LoadRules? = nil
    ) {
        self.families = families
        self.checks = checks
        self.slowStartMilliseconds = slowStartMilliseconds
        self.load = load
    }

    /// What is judged by itself: each family, if some check is of one family, else the node as a whole.
    var judged: [IPFamily?] {
        guard checks.contains(where: { $0.family != nil }) else { return [nil] }
        let all = families.isEmpty ? Set(checks.compactMap(\.family)) : Set(families)
        return IPFamily.allCases.filter(all.contains)
    }

    /// A failure this soon after a recovery is a flap, and raises `rise` for as long.
    static let dampingWindow: Int64 = 600_000
    /// `rise` doubles with each flap, at most this many times.
    static let dampingDoublings = 3
}

/// Whether mass-failure protection lets a family of a node go out.
public struct FallPermits: Hashable, Sendable, ExpressibleByBooleanLiteral {
    /// For nodes that are judged as a whole.
    let any: Bool
    let v4: Bool
    let v6: Bool

    public init(any: Bool, v4: Bool, v6: Bool) {
        self.any = any
        self.v4 = v4
        self.v6 = v6
    }

    public init(booleanLiteral value: Bool) { self.init(any: value, v4: value, v6: value) }

    subscript(_ family: IPFamily?) -> Bool {
        switch family {
        case .v4: v4
        case .v6: v6
        case nil: any
        }
    }
}

/// Mass-failure protection: when too many nodes fail at once, they stay in rotation.
public struct Brake: Hashable, Sendable {
    /// Percent of the checked nodes that may fail within `holdMilliseconds`, 1 to 100. 100: protection is off.
    public let percent: Int
    /// How long a further node must fail before it is taken out, unless checks of two kinds fail.
    public let holdMilliseconds: Int64

    public init(percent: Int = 50, holdMilliseconds: Int64 = 60_000) {
        self.percent = percent
        self.holdMilliseconds = holdMilliseconds
    }

    /// - Parameters:
    ///   - fallen: nodes that failed within the hold.
    ///   - checked: nodes that have checks.
    func allows(another fallen: Int, of checked: Int) -> Bool {
        fallen == 0 || (fallen + 1) * 100 <= percent * checked
    }
}
