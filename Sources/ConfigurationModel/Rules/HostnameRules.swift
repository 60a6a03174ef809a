/// What tailored names need of nodes: addresses, host names or texts.
struct HostnameRules: ValueRules {
    let context: RuleContext

    /// Every member of a pool that a tailored name uses must have what the name is made of: a host name for SRV, CNAME and
    /// MX, texts for TXT, addresses for the others. A host name must not be tailored itself: the records would depend on the
    /// client twice, or form a loop.
    func checkMembers(
        of tailored: [TailoredSettings], _ pools: [PoolSettings], _ nodes: [NodeSettings], _ policies: [PolicySettings]
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
        let hasProviders = nodes.contains { $0.provider != nil }
        for entry in tailored {
            let lacks: (NodeSettings) -> Bool
            switch entry.records {
            case .services, .alias, .exchanges: lacks = { $0.target == nil }
            case .texts: lacks = \.texts.isEmpty
            case .addresses, .binding:
                guard hasProviders else { continue }
                lacks = \.addresses.isEmpty
            }
            var pools = [entry.pool]
            for pool in entry.views.map(\.pool) where !pools.contains(pool) { pools.append(pool) }
            for policy in [entry.policy] + entry.views.map(\.policy) {
                if case .fallback(let pool) = fallbacks[policy], !pools.contains(pool) { pools.append(pool) }
            }
            for pool in pools {
                // Unreadable nodes have been reported already.
                let lacking = (members[pool] ?? []).compactMap { known[$0.node] }.filter(lacks)
                if !lacking.isEmpty { reportLacking(lacking.map(\.id), of: pool, entry) }
            }
        }
    }

    private func reportLacking(_ nodes: [String], of pool: String, _ entry: TailoredSettings) {
        let type = entry.records.type
        func add(_ key: String) -> String { "add \(key) to the node\(nodes.count == 1 ? "" : "s")" }
        let (what, remedy) =
            switch entry.records {
            case .texts: ("texts", add("texts"))
            // Only providers have none.
            case .addresses, .binding: ("addresses", "use type CNAME, or a pool without providers")
            case .services, .alias, .exchanges: ("a hostname", add("hostname"))
            }
        report(
            entry.mark,
            "tailored name \"\(entry.name)\" of type \(type.rawValue) needs \(what) for every node of pool "
                + "\(Spelling.quoted(pool)), and \(Spelling.excerpt(nodes)) \(nodes.count == 1 ? "has" : "have") none",
            remedy: remedy)
    }
}
