/// Checks that involve pools, policies and tailored names together.
struct SteeringRules: ValueRules {
    let context: RuleContext

    /// A pool and a policy of a tailored name, for the clients of a view or for all others.
    private struct Pairing: Hashable {
        let pool: String
        let policy: String
    }

    func check(
        _ tailored: [TailoredSettings], _ pools: [PoolSettings], _ policies: [PolicySettings]
    ) {
        let pools = Dictionary(pools.map { ($0.id, $0) }) { first, _ in first }
        let policies = Dictionary(policies.map { ($0.id, $0) }) { first, _ in first }
        var checked: Set<Pairing> = []
        for name in tailored {
            let all =
                [Pairing(pool: name.pool, policy: name.policy)]
                + name.views.map { Pairing(pool: $0.pool, policy: $0.policy) }
            for pairing in all {
                guard let policy = policies[pairing.policy] else { continue }
                checkAllDown(policy, name)
                // Reported once, however many names there are.
                guard checked.insert(pairing).inserted, let pool = pools[pairing.pool] else { continue }
                check(pool, policy, name)
                if case .fallback(let id) = policy.whenAllDown, let fallback = pools[id] {
                    checkCapacities(fallback, policy)
                }
            }
        }
    }

    /// Rules can match autonomous systems only with a database.
    func checkAutonomousSystems(_ policies: [PolicySettings], _ declaration: ConfigurationDeclaration) {
        // An unreadable database has been reported already.
        switch declaration.geo {
        case .absent: break
        case .unreadable: return
        case .given(let geo): guard geo.value.asnDatabase.isAbsent else { return }
        }
        for policy in policies {
            let rule = policy.rules.first { if case .asn = $0.match { true } else { false } }
            guard let rule else { continue }
            report(
                rule.mark,
                "a rule of policy \(Spelling.quoted(policy.id)) is for \(rule.match), but there is no database of autonomous "
                    + "systems",
                remedy: "add geo: {asn_database: /path/to/asn.mmdb}")
        }
    }

    private func check(_ pool: PoolSettings, _ policy: PolicySettings, _ name: TailoredSettings) {
        checkCapacities(pool, policy)
        if policy.whenAllDown == .fallback(pool: pool.id) {
            report(
                policy.mark,
                "policy \(Spelling.quoted(policy.id)) falls back on pool \(Spelling.quoted(pool.id)), which is the pool of "
                    + "\(name.name) itself",
                remedy: "name another, or use open")
        }
        let members = Set(pool.members.map(\.node))
        for rule in policy.rules where rule.action == .pin {
            guard let nodes = rule.nodes, members.isDisjoint(with: nodes) else { continue }
            report(
                rule.mark,
                "policy \(Spelling.quoted(policy.id)) pins \(rule.match) to \(Spelling.excerpt(nodes)), but pool "
                    + "\(Spelling.quoted(pool.id)) of \(name.name) has none of them",
                remedy: "add a node to the pool, or use another policy for the name")
        }
    }

    private func checkCapacities(_ pool: PoolSettings, _ policy: PolicySettings) {
        guard policy.weighBy == .capacity, let member = pool.members.first(where: { $0.capacity == nil }) else {
            return
        }
        report(
            member.mark,
            "node \(Spelling.quoted(member.node)) in pool \(Spelling.quoted(pool.id)) has no capacity, which policy "
                + "\(Spelling.quoted(policy.id)) weighs by",
            remedy: "write {id: \(member.node), capacity: 10}")
    }

    /// Addresses alone make no records of hosts or texts.
    private func checkAllDown(_ policy: PolicySettings, _ name: TailoredSettings) {
        guard case .addresses = policy.whenAllDown else { return }
        switch name.records {
        case .services, .alias, .texts, .exchanges: break
        case .addresses, .binding: return
        }
        report(
            name.mark,
            "tailored name \"\(name.name)\" of type \(name.records.type.rawValue) has policy \(Spelling.quoted(policy.id)), which answers "
                + "addresses when all nodes are down, expected open, refuse or a fallback pool",
            remedy: "use another policy")
    }
}
