import CFastPathABI
import ConfigurationModel
import DNSWire
import IPNetworks
import Lints
import Resolution
import Steering

/// The choices of each tailored name, for senders in no view and for those of each view.
extension SteeringPlan {
    /// A pool and a policy, for the clients of a view or for all others.
    private struct Choosing {
        let pool: PoolSettings
        let policy: PolicySettings
        let isOverlay: Bool

        /// The fallback pool, used when all nodes are down.
        func fallback(_ pools: [String: PoolSettings]) -> PoolSettings? {
            guard case .fallback(let id) = policy.whenAllDown else { return nil }
            return pools[id]
        }
    }

    private func choosing(_ pool: String, _ policy: String, isOverlay: Bool) -> Choosing? {
        guard let pool = pools[pool], let policy = policies[policy] else { return nil }
        return Choosing(pool: pool, policy: policy, isOverlay: isOverlay)
    }

    /// The choice for the senders of each view that changes something. `isOverlay`: that view's clients may get overlay
    /// addresses.
    private func choosings(_ name: TailoredSettings, overlays: Bool) -> [(view: Int, Choosing)] {
        views.enumerated().compactMap { number, view in
            let own = name.views.first { $0.view == view.id }
            guard own != nil || view.isOverlay && overlays else { return nil }
            return choosing(own?.pool ?? name.pool, own?.policy ?? name.policy, isOverlay: view.isOverlay)
                .map { (number, $0) }
        }
    }

    // MARK: - Addresses

    mutating func tailoredName(_ name: TailoredSettings) -> TailoredName? {
        guard let ordinary = choosing(name.pool, name.policy, isOverlay: false) else { return nil }
        warn(of: ordinary.policy, ordinary.pool)
        let choice = addressChoice(ordinary)
        var others: [Int: AddressChoice] = [:]
        for (view, choosing) in choosings(name, overlays: true) {
            let other = addressChoice(choosing)
            guard !other.isSame(as: choice) else { continue }
            others[view] = other
            warnMixed(name, choice, other, view: views[view].id)
        }
        return TailoredName(name: name.name, choice: choice, views: others)
    }

    private mutating func addressChoice(_ choosing: Choosing) -> AddressChoice {
        let (v4, v6) = (chain(choosing, .v4), chain(choosing, .v6))
        var rule = nc_rule(choosing.policy)
        if [v4, v6].contains(where: { $0?.isSimple == false }) {
            rule.all_down = UInt8(NC_ALL_DOWN_USER_SPACE.rawValue)
        }
        return AddressChoice(rule: rule, v4: v4, v6: v6, pool: choosing.pool.id, policy: choosing.policy.id)
    }

    /// The tables of the pool, then of its fallback pool. `nil` when no member has an address of the family.
    private mutating func chain(_ choosing: Choosing, _ family: IPFamily?) -> SteeringChain? {
        var steps = steps(choosing.pool, choosing, family, isFallback: false)
        guard !steps.isEmpty else { return nil }
        var addresses: [IPAddress] = []
        if let fallback = choosing.fallback(pools) {
            steps += self.steps(fallback, choosing, family, isFallback: true)
        } else if case .addresses(let all) = choosing.policy.whenAllDown {
            addresses = all.filter { $0.family == family }
        }
        return SteeringChain(steps: steps, addresses: addresses, isOpen: choosing.policy.whenAllDown != .refuse)
    }

    private mutating func steps(
        _ pool: PoolSettings, _ choosing: Choosing, _ family: IPFamily?, isFallback: Bool
    ) -> [SteeringChain.Step] {
        var steps: [SteeringChain.Step] = []
        if choosing.isOverlay, family != nil, let table = table(pool, choosing.policy, family, isOverlay: true) {
            steps.append(SteeringChain.Step(table: table, isOverlay: true, isFallback: isFallback))
        }
        if let table = table(pool, choosing.policy, family) {
            steps.append(SteeringChain.Step(table: table, isFallback: isFallback))
        }
        return steps
    }

    // MARK: - Other records

    mutating func tailoredRecords(_ name: TailoredSettings) -> TailoredRecords? {
        guard let ordinary = choosing(name.pool, name.policy, isOverlay: false),
            let choice = recordsChoice(name, ordinary)
        else { return nil }
        var others: [Int: TailoredRecords.Choice] = [:]
        var hasHints = false
        if case .binding = name.records { hasHints = true }
        for (view, choosing) in choosings(name, overlays: hasHints) { others[view] = recordsChoice(name, choosing) }
        return TailoredRecords(name: name.name, choice: choice, views: others)
    }

    private mutating func recordsChoice(_ name: TailoredSettings, _ choosing: Choosing) -> TailoredRecords.Choice? {
        var rule = nc_rule(choosing.policy)
        let content: TailoredRecords.Content
        switch name.records {
        case .addresses: return nil
        case .services(let port, let priority):
            let policy = choosing.policy
            if !policy.rules.isEmpty || policy.maximumKilometres != nil || policy.strategy == .failover {
                warn(
                    .policy,
                    "SRV records list every usable node of their pool for every client: rules, distance and tiers of policy "
                        + "\"\(policy.id)\" have no effect on \"\(name.name)\"", at: name.mark)
            }
            let fallback = choosing.fallback(pools).map {
                services(members(of: $0, by: choosing.policy), port: port, priority: priority)
            }
            content = .services(
                services(members(of: choosing.pool, by: choosing.policy), port: port, priority: priority),
                fallback: fallback ?? [])
        case .alias:
            // A name has one CNAME.
            rule.answers = 1
            guard let chain = chain(choosing, nil) else { return nil }
            let pools = [choosing.pool] + [choosing.fallback(pools)].compactMap { $0 }
            content = .alias(chain, hosts: hosts(of: pools))
        case .texts:
            // The texts of several nodes would contradict each other.
            rule.answers = 1
            guard let chain = chain(choosing, nil) else { return nil }
            content = .texts(chain, texts(of: [choosing.pool] + [choosing.fallback(pools)].compactMap { $0 }))
        case .exchanges(let preference):
            guard let chain = chain(choosing, nil) else { return nil }
            let pools = [choosing.pool] + [choosing.fallback(pools)].compactMap { $0 }
            content = .exchanges(chain, preference: preference, hosts: hosts(of: pools))
        case .binding(let binding):
            content = .binding(
                type: binding.type, v4: chain(choosing, .v4), v6: chain(choosing, .v6),
                prefix: TailoredRecords.bindingPrefix(port: binding.port, protocols: binding.protocols))
        }
        return TailoredRecords.Choice(
            rule: rule, content: content, pool: choosing.pool.id, policy: choosing.policy.id)
    }

    /// Host names by slot. All names of the same pools share one array.
    private mutating func hosts(of pools: [PoolSettings]) -> [Int: [UInt8]] {
        if let known = hostsOfPools[pools.map(\.id)] { return known }
        var hosts: [Int: [UInt8]] = [:]
        for member in pools.flatMap(\.members) {
            guard let number = numbers[member.node], let target = configuration.nodes[number].target else {
                continue
            }
            hosts[nodes[number].slot] = target.name.wire
        }
        hostsOfPools[pools.map(\.id)] = hosts
        return hosts
    }

    /// TXT records by slot. A text longer than a character string continues in the next one (RFC 1035, section 3.3.14).
    private func texts(of pools: [PoolSettings]) -> [Int: [UInt8]] {
        var texts: [Int: [UInt8]] = [:]
        for member in pools.flatMap(\.members) {
            guard let number = numbers[member.node] else { continue }
            texts[nodes[number].slot] = configuration.nodes[number].texts.flatMap { text -> [UInt8] in
                let bytes = Array(text.utf8)
                let strings = stride(from: 0, to: bytes.count, by: 255).flatMap { start -> [UInt8] in
                    let part = bytes[start..<min(start + 255, bytes.count)]
                    return [UInt8(part.count)] + part
                }
                return [UInt8(strings.count >> 8), UInt8(strings.count & 255)] + strings
            }
        }
        return texts
    }

    /// In the order of node ids, so that reordering the file does not change the set.
    private func services(
        _ members: [Steering.PoolMember], port: UInt16, priority: UInt16
    ) -> [TailoredRecords.Service] {
        let byID = members.sorted { nodes[$0.node].id.utf8.lexicographicallyPrecedes(nodes[$1.node].id.utf8) }
        return byID.compactMap { member in
            configuration.nodes[member.node].target.map {
                // HAProxy divides by 256: a smaller weight would drain the node.
                TailoredRecords.Service(
                    slot: nodes[member.node].slot, priority: priority,
                    weight: UInt16(min(Int(member.weight) * 256, 65_535)), port: port, host: $0.name)
            }
        }
    }

    // MARK: - What is hardly meant

    private mutating func warn(of policy: PolicySettings, _ pool: PoolSettings) {
        if policy.strategy == .failover, pool.tiers.count == 1 {
            warn(
                .policy,
                "pool \"\(pool.id)\" is a single tier for policy \"\(policy.id)\" of strategy failover, so failover works like nearest: "
                    + "build it from inner pools (pools: [first, second]), or use static", at: pool.mark)
        }
        if policy.strategy != .nearest, policy.strategy != .failover,
            let member = pool.members.first(where: { $0.bias != 0 })
        {
            warn(
                .policy,
                "bias of node \"\(member.node)\" in pool \"\(pool.id)\" has no effect with policy \"\(policy.id)\" of strategy "
                    + "\(policy.strategy.rawValue): it applies to nearest and failover", at: member.mark)
        }
        for rule in policy.rules {
            guard case .prefix(let prefix) = rule.match else { continue }
            if prefix.isSixToFour || prefix.isMapped {
                let kind = prefix.isMapped ? "an IPv4-mapped IPv6 prefix" : "6to4"
                warn(
                    .policy,
                    "a rule of policy \"\(policy.id)\" is for \(prefix), which is \(kind) and never looked up: give the IPv4 "
                        + "network", at: rule.mark)
                continue
            }
            guard policy.usesClientSubnet else { continue }
            let cap = Int(prefix.family == .v4 ? NC_SCOPE_MAX_V4 : NC_SCOPE_MAX_V6)
            guard prefix.length > cap else { continue }
            warn(
                .policy,
                "a rule of policy \"\(policy.id)\" is for \(prefix), but client subnets are used only to /\(cap): it applies only to "
                    + "senders without a client subnet", at: rule.mark)
        }
        guard case .fallback(let id) = policy.whenAllDown, let fallback = pools[id] else { return }
        for family in IPFamily.allCases where has(pool, family) && !has(fallback, family) {
            let kind = family == .v4 ? "IPv4" : "IPv6"
            warn(
                .policy,
                "pool \"\(id)\", the fallback of policy \"\(policy.id)\", has no \(kind) address, but pool \"\(pool.id)\" "
                    + "does: such queries are answered as with when_all_down: open", at: policy.mark)
        }
    }

    private func has(_ pool: PoolSettings, _ family: IPFamily) -> Bool {
        pool.members.contains { member in numbers[member.node].map { nodes[$0].address(family) != nil } ?? false }
    }

    /// A resolver with addresses in both views would cache one view's answer for the other.
    private mutating func warnMixed(
        _ name: TailoredSettings, _ choice: AddressChoice, _ other: AddressChoice, view: String
    ) {
        for family in IPFamily.allCases where (choice.chain(family) == nil) != (other.chain(family) == nil) {
            let type = family == .v4 ? "A" : "AAAA"
            let has = other.chain(family) == nil ? "lacks it" : "has it"
            warn(
                .viewTypes,
                "tailored name \"\(name.name)\" differs between clients in the existence of type \(type): view \"\(view)\" \(has), "
                    + "unlike other clients; give nodes of both pools such addresses", at: name.mark)
        }
    }
}

extension AddressChoice {
    /// Whether clients get the same answers from both.
    fileprivate func isSame(as other: AddressChoice) -> Bool {
        v4 == other.v4 && v6 == other.v6
            && withUnsafeBytes(of: rule) { left in
                withUnsafeBytes(of: other.rule) { left.elementsEqual($0) }
            }
    }
}

extension nc_rule {
    fileprivate init(_ policy: PolicySettings) {
        self.init(
            ttl_min: policy.ttlMin, ttl_max: policy.ttlMax, answers: UInt8(policy.answers),
            all_down: UInt8(policy.whenAllDown == .open ? NC_ALL_DOWN_OPEN.rawValue : NC_ALL_DOWN_USER_SPACE.rawValue),
            ecs: policy.usesClientSubnet ? 1 : 0, reserved: 0)
    }
}
