/// The host names that tailored records need.
struct HostnameRules: ValueRules {
    let context: RuleContext

    /// SRV and CNAME records point at host names. Every member must have one, and it must not be tailored: the records
    /// would depend on the client twice, or form a loop.
    func check(
        _ tailored: [TailoredSettings], _ pools: [PoolSettings], _ nodes: [NodeSettings], _ policies: [PolicySettings]
    ) {
        let names = Dictionary(tailored.map { ($0.name, $0.mark) }) { first, _ in first }
        for node in nodes {
            guard let hostname = node.hostname, let mark = names[hostname.name] else { continue }
            report(
                hostname.mark,
                "hostname of node \"\(node.id)\" is \"\(hostname.name)\", which is tailored at \(mark.reference(from: hostname.mark)), expected "
                    + "a name with addresses of its own",
                remedy: "use another")
        }
        let members = Dictionary(pools.map { ($0.id, $0.members) }) { first, _ in first }
        let known = Dictionary(nodes.map { ($0.id, $0) }) { first, _ in first }
        let fallbacks = Dictionary(policies.map { ($0.id, $0.whenAllDown) }) { first, _ in first }
        for entry in tailored {
            let type: TailoredType
            switch entry.records {
            case .services: type = .srv
            case .alias: type = .cname
            case .addresses, .binding: continue
            }
            var pools = [entry.pool]
            for pool in entry.views.map(\.pool) where !pools.contains(pool) { pools.append(pool) }
            for policy in [entry.policy] + entry.views.map(\.policy) {
                if case .fallback(let pool) = fallbacks[policy], !pools.contains(pool) { pools.append(pool) }
            }
            for pool in pools {
                // Unreadable nodes have been reported already.
                let nameless = (members[pool] ?? []).compactMap { known[$0.node] }.filter { $0.hostname == nil }
                if !nameless.isEmpty { reportNameless(nameless.map(\.id), of: pool, type, entry) }
            }
        }
    }

    private func reportNameless(
        _ nodes: [String], of pool: String, _ type: TailoredType, _ entry: TailoredSettings
    ) {
        report(
            entry.mark,
            "tailored name \"\(entry.name)\" of type \(type.rawValue) needs a hostname for every node of pool "
                + "\(Spelling.quoted(pool)), and \(Spelling.excerpt(nodes)) \(nodes.count == 1 ? "has" : "have") none",
            remedy: "add hostname to the node\(nodes.count == 1 ? "" : "s")")
    }
}
