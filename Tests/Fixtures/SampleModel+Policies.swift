import CFastPathABI
import DNSWire
import IPNetworks
import Resolution
import Steering

extension SampleModel {
    /// Names that policies decide by more than distance, and names that views answer apart.
    public static let policyNames = [
        "linear", "quadratic", "logarithmic", "stepped", "order", "weighted", "scattered", "latency", "limit", "rules",
        "denied", "tiers", "minimum", "fallback", "sorry", "overlay", "office",
    ].map { "\($0).example.com" }

    /// Of these, the ones that views answer apart.
    public static let viewNames = ["overlay.example.com", "office.example.com"]
}

extension SampleModel.Plan {
    /// A choice by tables of `key` made for each family, and of a pool that stands in.
    private mutating func choice(
        _ answers: UInt8, fallback: [PoolMember] = [], addresses: [IPAddress] = [], isOverlay: Bool = false,
        _ key: (IPFamily, _ isOverlay: Bool) -> SteeringKey
    ) -> AddressChoice {
        func chain(_ family: IPFamily) -> SteeringChain {
            var steps: [SteeringChain.Step] = []
            func add(_ key: SteeringKey, isOverlay: Bool = false, isFallback: Bool = false) {
                keys.append(key)
                steps.append(.init(table: keys.count - 1, isOverlay: isOverlay, isFallback: isFallback))
            }
            if isOverlay { add(key(family, true), isOverlay: true) }
            add(key(family, false))
            if !fallback.isEmpty {
                add(SteeringKey(members: fallback, tolerance: Tolerance(), family: family), isFallback: true)
            }
            return SteeringChain(steps: steps, addresses: addresses.filter { $0.family == family }, isOpen: true)
        }
        let (v4, v6) = (chain(.v4), chain(.v6))
        let allDown = v4.isSimple ? NC_ALL_DOWN_OPEN : NC_ALL_DOWN_USER_SPACE
        let rule = nc_rule(
            ttl_min: 5, ttl_max: 300, answers: answers, all_down: UInt8(allDown.rawValue), ecs: 1, reserved: 0)
        return AddressChoice(rule: rule, v4: v4, v6: v6, pool: "pool", policy: "policy")
    }

    private mutating func add(_ label: String, _ choice: AddressChoice, views: [Int: AddressChoice] = [:]) throws {
        tailored.append(
            TailoredName(name: try DomainName("\(label).example.com"), choice: choice, views: views))
    }

    /// One name for each thing that a policy can say, and for each kind of view.
    mutating func addPolicies() throws {
        let everyone = everyone
        func ranked(_ strategy: Strategy, _ count: Int = 40) -> (IPFamily, Bool) -> SteeringKey {
            { family, isOverlay in
                SteeringKey(
                    members: Array(everyone.prefix(count)), tolerance: Tolerance(), family: family, strategy: strategy,
                    overlay: isOverlay)
            }
        }
        try add("linear", choice(3, ranked(.linear)))
        try add("quadratic", choice(3, ranked(.quadratic)))
        try add("logarithmic", choice(3, ranked(.logarithmic)))
        try add("stepped", choice(3, ranked(.stepped, 8)))
        try add("order", choice(2, ranked(.order)))
        try add("weighted", choice(2, ranked(.weighted, 8)))
        // More in one band than a list holds.
        try add("scattered", choice(2, ranked(.weighted)))
        try addFiltered()
        try addTiers()
        let spare = Array(everyone.suffix(5))
        let sorry = [IPAddress.v4(0xc000_02c8), .v6(0x2001_0db8 << 96 | 0xc8)]
        try add("fallback", choice(1, fallback: spare, ranked(.nearest, 5)))
        try add("sorry", choice(1, addresses: sorry, ranked(.nearest, 5)))
        try add(
            "overlay", choice(1, ranked(.nearest)), views: [0: choice(1, isOverlay: true, ranked(.nearest))])
        try add(
            "*.viewed", choice(1, ranked(.nearest)), views: [0: choice(1, isOverlay: true, ranked(.nearest))])
        try add(
            "office", choice(1, ranked(.nearest)),
            views: [0: choice(2, isOverlay: true, ranked(.nearest)), 1: choice(1, ranked(.order, 5))])
    }

    private mutating func addFiltered() throws {
        let members = everyone
        let times = LatencyTable([
            .country("C1"): [3: 10, 4: 12], .continent("EU"): [5: 7, 20: 90], .word("lab"): [30: 1],
        ])
        try add(
            "latency",
            choice(2) { family, _ in
                SteeringKey(
                    members: members, tolerance: Tolerance(), family: family, strategy: .latency, latency: times)
            })
        try add(
            "limit",
            choice(8) { family, _ in
                SteeringKey(members: members, tolerance: Tolerance(), family: family, maximumKilometres: 3000)
            })
        let rules = [
            GeoRule(match: .country("C2"), action: .pin, nodes: [1, 7]),
            GeoRule(match: .asn(64500), action: .pin, nodes: [2]),
            GeoRule(match: .continent("EU"), action: .deny, nodes: [4, 5, 8, 10]),
            GeoRule(match: .region(country: "C3", "R0"), action: .allow, nodes: [11, 13]),
        ]
        try add(
            "rules",
            choice(1) { family, _ in
                SteeringKey(members: members, tolerance: Tolerance(), family: family, rules: rules)
            })
        let spare = Array(members.suffix(5))
        try add(
            "denied",
            choice(1, fallback: spare) { family, _ in
                SteeringKey(
                    members: members, tolerance: Tolerance(), family: family,
                    rules: [GeoRule(match: .continent("AS"), action: .deny)])
            })
    }

    private mutating func addTiers() throws {
        let members = nodes.indices.map { PoolMember(node: $0, weight: 1, bias: $0 - 20, tier: $0 / 3) }
        for (label, minimums) in [("tiers", []), ("minimum", [2, 2])] {
            try add(
                label,
                choice(2) { family, _ in
                    SteeringKey(
                        members: members, tolerance: Tolerance(), family: family, tierMinimum: minimums)
                })
        }
    }
}
