import CFastPathABI
import Location

/// The walk through every candidate of a place, for what lists do not hold or cannot say. Same rules as
/// `bpf/abi/select.h`, over a list without an end; and tiers with too few usable members come last.
struct FullOrder {
    private struct Step {
        let slot: Int
        let weight: UInt16
        let tier: Int
        let band: Int
        let idHash: UInt64
    }

    private let steps: [Step]
    /// Tiers that must have more than one usable member: how many, and the slots of their members.
    private let minimums: [(tier: Int, count: Int, slots: [Int])]
    private let isDenied: Bool

    init(_ ranking: Ranking, nodes: [SteeringNode], place: Place) {
        let field = ranking.field(for: place)
        let order = ranking.order(
            in: field, around: place.coordinates.map(SpherePoint.init), limit: ranking.members.count)
        steps = order.map { candidate in
            let node = nodes[candidate.node]
            return Step(
                slot: node.slot, weight: candidate.weight, tier: candidate.tier, band: candidate.band,
                idHash: node.idHash)
        }
        isDenied = field.isRefused
        minimums = ranking.key.tierMinimum.enumerated().filter { $0.element > 1 }.map { tier, count in
            (tier, count, ranking.members.filter { $0.tier == tier }.map { nodes[$0.node].slot })
        }
    }

    func select(client: nc_client, rule: nc_rule, words: NodeWords) -> Selection {
        var client = client
        let clientHash = nc_client_hash(&client)
        var ttl = NC_TTL_STABLE
        let walk = ordered(clientHash, words, &ttl)
        var chosen: [Int] = []
        var (usable, unknown): ([Int], [Int]) = ([], [])
        for step in walk where chosen.count < Int(rule.answers) {
            let word = words.word(step.slot)
            ttl = min(ttl, nc_word_ttl(word))
            switch nc_word_state(word) {
            case NC_NODE_UP.rawValue, NC_NODE_DEGRADED.rawValue:
                usable.append(step.slot)
                let drawn = UInt32(truncatingIfNeeded: nc_candidate_hash(clientHash, step.idHash) & 0xff)
                if nc_word_share(word) >= UInt32(NC_SHARE_FULL) || drawn < nc_word_share(word) {
                    chosen.append(step.slot)
                }
            case NC_NODE_UNKNOWN.rawValue: unknown.append(step.slot)
            default: break
            }
        }
        if chosen.isEmpty { chosen = usable.isEmpty ? unknown : usable }
        let isAllDown = chosen.isEmpty && !isDenied
        if isAllDown {
            ttl = 0
            if rule.all_down == UInt8(NC_ALL_DOWN_OPEN.rawValue) { chosen = walk.map(\.slot) }
        }
        return Selection(
            slots: Array(chosen.prefix(Int(rule.answers))), ttl: max(min(ttl, rule.ttl_max), rule.ttl_min),
            isLocal: false, isAllDown: isAllDown, isDenied: isDenied)
    }

    /// The steps in the order in which they are walked; `ttl` is cut to that of the nodes that decided about tiers.
    private func ordered(_ clientHash: UInt64, _ words: NodeWords, _ ttl: inout UInt32) -> [Step] {
        var late: Set<Int> = []
        for (tier, count, slots) in minimums {
            let states = slots.map { words.word($0) }
            for word in states { ttl = min(ttl, nc_word_ttl(word)) }
            let usable = states.filter {
                nc_word_state($0) == NC_NODE_UP.rawValue || nc_word_state($0) == NC_NODE_DEGRADED.rawValue
            }
            if usable.count < count { late.insert(tier) }
        }
        let ranked = steps.enumerated().map { index, step in
            let rank = nc_band_rank(nc_candidate_hash(clientHash, step.idHash), UInt32(step.weight))
            // A band with one member keeps its place whatever the rank.
            return (key: (late.contains(step.tier) ? 1 : 0, step.band, rank, index), step: step)
        }
        return ranked.sorted { $0.key < $1.key }.map(\.step)
    }
}
