import CFastPathABI
import Location

/// What stands behind the lists whose first candidate is one node: sixteen others, in order of their distance
/// from it, at most two of a country as long as there are others, so that what takes a neighbourhood down
/// leaves somebody.
enum Backstop {
    static func members(behind first: Int, ranking: Ranking, nodes: [SteeringNode]) -> [Int] {
        let around = SpherePoint(nodes[first].coordinates)
        let others = ranking.order(around: around, limit: ranking.members.count).map(\.node).filter { $0 != first }
        let limit = Int(NC_BACKSTOP_CANDIDATES)
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
