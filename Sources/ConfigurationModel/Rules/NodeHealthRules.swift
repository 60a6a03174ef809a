import DNSWire
import Health
import IPNetworks

/// `health` of nodes: what applies to each of them.
struct NodeHealthRules: ValueRules {
    let context: RuleContext

    func nodes(
        _ nodes: [NodeSettings], _ nodeEntries: [Entry<NodeDeclaration>], _ pools: [PoolSettings],
        _ poolEntries: [Entry<PoolDeclaration>], _ global: HealthDraft
    ) -> [NodeSettings] {
        let section = HealthSectionRules(context: context)
        var own: [String: HealthDraft] = [:]
        for entry in nodeEntries { own[entry.identifier.value] = section.health(entry.declaration.health, entry.scope) }
        let pooled = poolEntries.compactMap { entry in
            section.health(entry.declaration.health, entry.scope).map { (entry.identifier.value, $0) }
        }
        let inherited = inherited(pools, own: own, pooled: pooled)
        return nodes.map { settings in
            let outer = inherited[settings.id].map { $0.draft.within(global) } ?? global
            var settings = settings
            settings.health = rules(of: settings, own[settings.id]?.within(outer) ?? outer)
            return settings
        }
    }

    /// The pools' `health` that applies to their nodes, by node.
    ///
    /// - Parameters:
    ///   - own: the nodes' own settings, by node.
    ///   - pooled: pools with `health`, in declaration order.
    private func inherited(
        _ pools: [PoolSettings], own: [String: HealthDraft], pooled: [(pool: String, draft: HealthDraft)]
    ) -> [String: (pool: String, draft: HealthDraft)] {
        var inherited: [String: (pool: String, draft: HealthDraft)] = [:]
        let members = Dictionary(pools.map { ($0.id, $0.members.map(\.node)) }) { first, _ in first }
        for (pool, draft) in pooled {
            for node in members[pool] ?? [] {
                if let other = inherited[node], own[node] == nil {
                    report(
                        draft.mark,
                        "pools \(Spelling.quoted(other.pool)) and \(Spelling.quoted(pool)) both have health for node "
                            + "\(Spelling.quoted(node)), expected one of them",
                        remedy: "give the node its own health")
                } else {
                    inherited[node] = (pool, draft)
                }
            }
        }
        return inherited
    }

    private func rules(of node: NodeSettings, _ draft: HealthDraft) -> HealthRules {
        let checks = (draft.checks ?? []).flatMap {
            $0.probe == .report ? [reportCheck(of: node, $0, draft)] : self.checks(of: node, $0, draft.pace)
        }
        requireOneReport(draft.checks ?? [])
        var seen: Set<Check> = []
        return HealthRules(
            families: IPFamily.allCases.filter { family in node.addresses.contains { $0.family == family } },
            checks: checks.filter { seen.insert($0).inserted },
            slowStartMilliseconds: Int64(draft.slowStart ?? 60_000), load: loadRules(of: node, draft.load))
    }

    private static let checkOfNode = "a check of node"

    /// Reports a problem that one declaration causes for many nodes, for the first of them.
    ///
    /// - Parameter beginning: the common beginning of such messages.
    private func reportOnce(
        _ mark: DocumentLocation, _ beginning: String, _ message: String, remedy: String
    ) {
        let isKnown = context.problems.contains { $0.location == mark && $0.message.hasPrefix(beginning) }
        if !isKnown { report(mark, message, remedy: remedy) }
    }

    /// A check for each address that is answered, which decides the family of that address. If the check names an address,
    /// or the node is a provider, there is one check, and it decides the whole node.
    private func checks(
        of node: NodeSettings, _ draft: HealthDraft.CheckDraft, _ outer: HealthDraft.Pace
    ) -> [Check] {
        let pace = draft.pace.within(outer)
        let interval = pace.interval ?? 5_000
        let timeout = pace.timeout ?? min(2_000, interval / 2)
        guard timeout < interval else {
            reportOnce(
                draft.mark, Self.checkOfNode,
                "\(Self.checkOfNode) \(Spelling.quoted(node.id)) has a timeout of \(timeout) ms and an interval of "
                    + "\(interval) ms, expected the timeout to be shorter",
                remedy: "change one of them")
            return []
        }
        let targets = targets(of: node, draft)
        return targets.map { target in
            Check(
                draft.target == nil ? draft.probe.naming(target) : draft.probe, target: target,
                family: draft.target == nil ? target.address?.family : nil, source: draft.source,
                intervalMilliseconds: Int64(interval), timeoutMilliseconds: Int64(timeout), fall: pace.fall ?? 3,
                rise: pace.rise ?? 5)
        }
    }

    private func targets(of node: NodeSettings, _ draft: HealthDraft.CheckDraft) -> [Check.Target] {
        if draft.target == nil, let provider = node.provider {
            guard draft.probe == .icmp else { return [.host(provider.name.withoutFinalDot)] }
            reportOnce(
                draft.mark, Self.checkOfNode,
                "\(Self.checkOfNode) \(Spelling.quoted(node.id)) is of type icmp, and the node is a provider",
                remedy: "use another type, or give the check an address")
            return []
        }
        // A source can reach targets of its own family only.
        let targets = (draft.target.map { [$0] } ?? node.addresses).filter {
            draft.source == nil || draft.source?.family == $0.family
        }
        if targets.isEmpty, let source = draft.source, let target = draft.target ?? node.addresses.first {
            reportOnce(
                draft.mark, Self.checkOfNode,
                "\(Self.checkOfNode) \(Spelling.quoted(node.id)) probes \(target) from "
                    + "\(source), expected addresses of one family",
                remedy: "add an address of the source's family to the check")
        }
        return targets.map { .address($0) }
    }

    /// A check of type `report` of a node. It does not inherit the interval of other checks, since nothing is probed.
    private func reportCheck(of node: NodeSettings, _ own: HealthDraft.CheckDraft, _ draft: HealthDraft) -> Check {
        let missingAfter = own.pace.interval ?? draft.missingAfter ?? ReportSettings.standardMissingAfter
        return Check(
            .report, target: node.probed, intervalMilliseconds: Int64(missingAfter),
            timeoutMilliseconds: Int64(missingAfter), fall: own.pace.fall ?? 1, rise: own.pace.rise ?? 1)
    }

    private func requireOneReport(_ checks: [HealthDraft.CheckDraft]) {
        let reports = checks.filter { $0.probe == .report }
        // The same list may be read for many nodes.
        guard reports.count > 1, !context.problems.contains(where: { $0.location == reports[1].mark }) else { return }
        report(
            reports[1].mark, "there are two checks of type report for one node, expected one",
            remedy: "remove one of them")
    }
}

extension NodeSettings {
    /// What stands for the node where one target is enough.
    fileprivate var probed: Check.Target {
        addresses.first.map { .address($0) } ?? .host(provider?.name.withoutFinalDot ?? id)
    }
}

extension DomainName {
    /// As SNI (RFC 6066, section 3), the Host field and commands expect it.
    fileprivate var withoutFinalDot: String { String("\(self)".dropLast()) }
}
