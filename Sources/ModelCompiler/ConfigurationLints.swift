import ConfigurationModel
import Health
import IPNetworks
import Lints

/// Values of a configuration that are valid, and probably a mistake.
struct ConfigurationLints {
    private let configuration: ServerConfiguration
    private let nodes: [String: NodeSettings]
    private let pools: [String: PoolSettings]
    private(set) var warnings: [LintWarning] = []

    init(_ configuration: ServerConfiguration) {
        self.configuration = configuration
        nodes = Dictionary(configuration.nodes.map { ($0.id, $0) }) { first, _ in first }
        pools = Dictionary(configuration.pools.map { ($0.id, $0) }) { first, _ in first }
        findUnused()
        findSharedAddresses()
        findSharedTargets()
        findOwnLookups()
        compareTimes()
    }

    private mutating func warn(_ lint: Lint, at mark: DocumentLocation, _ text: String, remedy: String) {
        warnings.append(LintWarning(lint, at: "\(mark)", text, remedy: remedy))
    }

    // MARK: - What is not used

    private mutating func findUnused() {
        let members = Set(configuration.pools.flatMap { $0.members.map(\.node) })
        for node in configuration.nodes where !members.contains(node.id) {
            warn(
                .unusedNode, at: node.mark, "node \(Spelling.quoted(node.id)) is in no pool, so no answer has it",
                remedy: "add it to a pool, or remove it")
        }
        let used = Set(configuration.tailored.flatMap { [$0.policy] + $0.views.map(\.policy) })
        for policy in configuration.policies where !used.contains(policy.id) {
            warn(
                .unusedPolicy, at: policy.mark, "policy \(Spelling.quoted(policy.id)) is used by no tailored name",
                remedy: "name it in tailored, or remove it")
        }
    }

    // MARK: - What several nodes share

    private mutating func findSharedAddresses() {
        var first: [IPAddress: NodeSettings] = [:]
        for node in configuration.nodes {
            for address in node.addresses {
                guard let other = first[address] else {
                    first[address] = node
                    continue
                }
                warn(
                    .sharedAddress, at: node.mark,
                    "node \(Spelling.quoted(node.id)) has the address \(address), which node "
                        + "\(Spelling.quoted(other.id)) has too", remedy: "correct one, or make them one node")
            }
        }
    }

    /// An address that every node is checked at says nothing about any of them.
    private mutating func findSharedTargets() {
        let checked = configuration.nodes.compactMap { node -> (NodeSettings, Set<IPAddress>)? in
            let targets = node.health.checks.filter { $0.probe != .report }.compactMap(\.target.address)
            return targets.isEmpty ? nil : (node, Set(targets))
        }
        guard checked.count > 1, let first = checked.first else { return }
        let shared = checked.dropFirst().reduce(first.1) { $0.intersection($1.1) }
        for target in shared.sorted() where checked.count(where: { $0.0.addresses.contains(target) }) < 2 {
            warn(
                .sharedTarget, at: first.0.mark,
                "all \(checked.count) checked nodes are probed at \(target), so they can only fail together",
                remedy: "leave address out of the check, so that each node is probed at its own")
        }
    }

    /// This daemon answers for its own zones only, and nothing else can be listening at its endpoint.
    private mutating func findOwnLookups() {
        let listen = configuration.listen.map(\.endpoint)
        for server in configuration.lookup.servers where listen.contains(where: { $0.takes(server) }) {
            warn(
                .ownLookup, at: configuration.lookup.mark,
                "lookup.servers has \(server), where this server listens: it refuses queries for outside hosts",
                remedy: "name a recursive server")
        }
    }

    // MARK: - TTL and detection

    /// How long a node's failure stays unnoticed, in seconds: its fastest check counts. `nil`: it has none.
    private func detection(of node: NodeSettings) -> (least: Int64, most: Int64)? {
        let fastest = node.health.checks.min { $0.fallMilliseconds < $1.fallMilliseconds }
        return fastest.map { check in
            let least = check.fallMilliseconds - check.intervalMilliseconds
            return (least / 1000, (check.fallMilliseconds + check.timeoutMilliseconds) / 1000)
        }
    }

    /// The first results that contradict the state shorten the TTL. So clients have an answer from before the failure for
    /// at most an interval and the greatest TTL: shorter than the detection it gains nothing, and much longer it decides
    /// how long an outage lasts.
    private mutating func compareTimes() {
        var warned: Set<String> = []
        let policies = Dictionary(configuration.policies.map { ($0.id, $0) }) { first, _ in first }
        for name in configuration.tailored {
            let pairs = [(name.pool, name.policy)] + name.views.map { ($0.pool, $0.policy) }
            for (pool, policy) in pairs where warned.insert("\(pool) \(policy)").inserted {
                guard let policy = policies[policy], let pool = pools[pool] else { continue }
                compare(policy, pool)
            }
        }
    }

    private mutating func compare(_ policy: PolicySettings, _ pool: PoolSettings) {
        let times = pool.members.compactMap { nodes[$0.node].flatMap(detection) }
        guard let least = times.map(\.least).min(), let most = times.map(\.most).max() else { return }
        let ttl = Int64(policy.ttlMax)
        let found = "policy \(Spelling.quoted(policy.id)) has a ttl.max of \(ttl) s"
        if ttl < least {
            warn(
                .shortTTL, at: policy.mark,
                "\(found), but a failure of a node of pool \(Spelling.quoted(pool.id)) is noticed after \(least) s at the "
                    + "earliest: clients ask more often and move no sooner",
                remedy: "raise it to \(least), or check more often")
        } else if ttl > max(300, 10 * most) {
            warn(
                .longTTL, at: policy.mark,
                "\(found), but a failure of a node of pool \(Spelling.quoted(pool.id)) is noticed within \(most) s: "
                    + "clients keep the failed node for up to \(ttl) s",
                remedy: "lower it to 300 or less")
        }
    }
}

extension Check {
    /// The time of the results that take a node down.
    fileprivate var fallMilliseconds: Int64 { Int64(fall) * intervalMilliseconds }
}

extension SocketEndpoint {
    /// Whether a listener here receives what is sent to `other`. All addresses of the host are not known, but loopback
    /// always is among them.
    fileprivate func takes(_ other: SocketEndpoint) -> Bool {
        guard port == other.port, address.family == other.address.family else { return false }
        let (any, loopback) = address.family == .v4 ? ("0.0.0.0", "127.0.0.0/8") : ("::", "::1/128")
        return self == other
            || address == IPAddress(any) && IPPrefix(loopback)?.contains(other.address) == true
    }
}
