import CFastPathABI
import Location

/// What stands behind the lists of one field whose first candidate is one node: sixteen others, in the order that a
/// client at that node's place has, at most two of a country as long as there are others, so that what takes a
/// neighbourhood down leaves somebody. No member of a tier stands there before all of the tiers in front of it.
enum Backstop {
    static func members(behind first: Int, in field: Field, _ ranking: Ranking, nodes: [SteeringNode]) -> [Int] {
        let point = nodes[first].isLocated ? SpherePoint(nodes[first].coordinates) : nil
        // Which of them are too far for its clients each list says for itself.
        let others = ranking.banded(ranking.search(field, point, limit: ranking.members.count, maximum: .max))
            .filter { $0.node != first }
        let limit = Int(NC_BACKSTOP_CANDIDATES)
        guard others.count > limit else { return others.map(\.node) }
        // The operator's own order is not ours to spread.
        guard ranking.key.strategy != .order else { return others.prefix(limit).map(\.node) }

        var chosen: [Int] = []
        var tier = others[...]
        while let head = tier.first, chosen.count < limit {
            let end = tier.firstIndex { $0.tier != head.tier } ?? tier.endIndex
            chosen += spread(tier[..<end].map(\.node), limit: limit - chosen.count, nodes)
            tier = tier[end...]
        }
        return chosen
    }

    private static func spread(_ others: [Int], limit: Int, _ nodes: [SteeringNode]) -> [Int] {
        guard others.count > limit else { return others }
        var perCountry: [String: Int] = [:]
        var spread: [Int] = []
        var rest: [Int] = []
        for node in others {
            let country = nodes[node].country ?? nodes[node].id
            if spread.count < limit, perCountry[country, default: 0] < 2 {
                perCountry[country, default: 0] += 1
                spread.append(node)
            } else {
                rest.append(node)
            }
        }
        let chosen = Set(spread + rest.prefix(limit - spread.count))
        return others.filter(chosen.contains)
    }
}
