import CFastPathABI
import ControlPlane
import Health
import IPNetworks
import Location
import ManagementTypes
import Resolution
import Steering
import VisibleText

extension Explanation {
    /// The steps of a chain up to the one that chose, each with all members of its pool.
    func choices(
        _ chain: SteeringChain, _ chosen: ChainSelection, _ family: IPFamily?, _ place: ClientLocation,
        nameHash: UInt64
    ) -> [ChoiceReport] {
        let steps = chain.steps.enumerated().prefix { index, step in
            index <= chosen.step ?? chain.steps.count && !(step.isFallback && chosen.isDenied)
        }
        var choices = steps.map { index, step in
            let selection = index == chosen.step ? chosen.selection : nil
            return choice(step, selection, family, place, nameHash: nameHash, isFirst: index == 0)
        }
        if chosen.step == nil, !chosen.isDenied, !chain.addresses.isEmpty, let last = choices.indices.last {
            choices[last].outcome += "; the policy's fallback addresses are answered"
        }
        return choices
    }

    private func choice(
        _ step: SteeringChain.Step, _ selection: Selection?, _ family: IPFamily?, _ place: ClientLocation,
        nameHash: UInt64, isFirst: Bool
    ) -> ChoiceReport {
        let table = model.steering.tables[step.table]
        let explanation = table.ranking.explanation(for: model.places[place.place])
        let slots = selection?.slots ?? []
        var client = nc_client(leaf: place.leaf, name_hash: nameHash)
        let hash = nc_client_hash(&client)
        let words = Words(key: table.key, isOverlay: step.isOverlay)
        let candidates = explanation.members.enumerated().map { index, member in
            let node = model.steering.nodes[member.member.node]
            let drawn = nc_candidate_hash(hash, node.idHash)
            let rank = nc_band_rank(drawn, UInt32(member.member.weight))
            let report = report(
                member, node, hash: drawn, isChosen: slots.contains(node.slot), words, table.key)
            return (band: member.band ?? .max, rank: member.band == nil ? 0 : rank, index: index, report: report)
        }
        // Those that are not eligible have no order of their own: they follow by id.
        let inOrder = candidates.sorted {
            guard $0.band == .max, $1.band == .max else {
                return ($0.band, $0.rank, $0.index) < ($1.band, $1.rank, $1.index)
            }
            return NaturalOrder.precedes($0.report.node, $1.report.node)
        }
        return ChoiceReport(
            subject: family.map { "\(step.isOverlay ? "overlay " : "")\($0.name) addresses" } ?? "hosts",
            table: step.table, strategy: table.key.strategy.words, isFallback: step.isFallback,
            relaxed: explanation.relaxation.words, minimums: minimums(table.ranking),
            outcome: outcome(selection, explanation, isFirst: isFirst, table.key.family),
            candidates: inOrder.map(\.report))
    }

    private func minimums(_ ranking: Ranking) -> [String]? {
        let tiers = ranking.tiersNeedingMore(resolver.words)
        guard !tiers.isEmpty else { return nil }
        return tiers.map {
            "tier \($0.tier) needs \($0.minimum) usable nodes and has \($0.usable)"
                + ($0.usable < $0.minimum ? ": it comes after the other tiers" : "")
        }
    }

    private func report(
        _ member: RankingExplanation.Member, _ node: SteeringNode, hash: UInt64, isChosen: Bool, _ words: Words,
        _ key: SteeringKey
    ) -> CandidateReport {
        let word = resolver.words.word(node.slot, key.family)
        let state = state(node.id, word, key.family)
        let draw = Int(hash & 255)
        let hasTiers = key.members.contains { $0.tier > 0 }
        let isEligible = member.dropped == nil
        return CandidateReport(
            node: node.id, region: node.region, distanceKm: member.metres.map { $0 / 1000 },
            bias: member.member.bias == 0 ? nil : member.member.bias, score: member.score,
            milliseconds: member.milliseconds, tier: hasTiers ? member.member.tier : nil, band: member.band,
            weight: Int(member.member.weight), state: state, share: Int(nc_word_share(word)),
            hash: isEligible ? hash.hexadecimal : nil, draw: isEligible ? draw : nil, eligible: isEligible,
            chosen: isChosen,
            reason: member.dropped.map { words.reason($0) }
                ?? words.reason(word, draw: draw, isChosen: isChosen, rule: member.rule)
                + (state == .held ? "; its checks fail, and mass-failure protection holds it" : ""))
    }

    /// The state that a word holds, or `held`.
    private func state(_ id: String, _ word: UInt64, _ family: IPFamily?) -> NodeState {
        nodes?.fleet.nodes[id].map { NodeState($0, family) } == .held ? .held : NodeState(word: word)
    }

    private func outcome(
        _ selection: Selection?, _ explanation: RankingExplanation, isFirst: Bool, _ family: IPFamily?
    ) -> String {
        guard let selection else {
            return explanation.isRefused ? "rules deny every node to this client" : "no node is usable"
        }
        let isUsable = selection.slots.contains { slot in
            [.up, .degraded, .unknown].contains(NodeState(word: resolver.words.word(slot, family)))
        }
        guard isUsable else { return "no node is usable: all are answered as if they were" }
        if !isFirst { return "the fallback pool answers" }
        return selection.isLocal
            ? "from the location's candidate list"
            : "from the pool's full order, since the candidate list is incomplete"
    }

    // MARK: - SRV

    /// SRV sets are the same for every client: all usable nodes.
    func choices(
        _ services: [TailoredRecords.Service], _ fallback: [TailoredRecords.Service], _ rule: nc_rule
    ) -> [ChoiceReport] {
        func states(_ services: [TailoredRecords.Service]) -> Set<NodeState> {
            Set(services.map { NodeState(word: resolver.words.word($0.slot, nil)) })
        }
        let usable: Set<NodeState> = [.up, .degraded]
        func choice(_ services: [TailoredRecords.Service], isFallback: Bool, isLast: Bool) -> ChoiceReport {
            let found = states(services)
            var taken = found.isDisjoint(with: usable) ? [.unknown] : usable
            var outcome =
                found.isDisjoint(with: usable) ? "no node is up: those in state unknown answer" : "all usable nodes"
            if found.isDisjoint(with: taken) {
                let isOpen = isLast && (isFallback || rule.all_down == UInt8(NC_ALL_DOWN_OPEN.rawValue))
                taken = isOpen ? found : []
                outcome = isOpen ? "no node is usable: all are answered as if they were" : "no node is usable"
            }
            return ChoiceReport(
                subject: "services", isFallback: isFallback, outcome: outcome,
                candidates: services.map { candidate($0, taken) }.sorted { NaturalOrder.precedes($0.node, $1.node) })
        }
        let first = choice(services, isFallback: false, isLast: fallback.isEmpty)
        guard !fallback.isEmpty, !first.candidates.contains(where: \.chosen) else { return [first] }
        return [first, choice(fallback, isFallback: true, isLast: true)]
    }

    private func candidate(_ service: TailoredRecords.Service, _ taken: Set<NodeState>) -> CandidateReport {
        let word = resolver.words.word(service.slot, nil)
        let node = model.steering.node(slot: service.slot)
        let state = NodeState(word: word)
        let isTaken = taken.contains(state)
        // WEIGHT stands behind the length and PRIORITY (RFC 2782).
        let weight = Int(service.data[4]) << 8 | Int(service.data[5])
        return CandidateReport(
            node: node?.id ?? "slot \(service.slot)", region: node?.region, weight: weight, state: state,
            share: Int(nc_word_share(word)), eligible: true, chosen: isTaken,
            reason: isTaken ? "in the set" : "is \(state.rawValue)")
    }
}
