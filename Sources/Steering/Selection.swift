public import CFastPathABI
import Location

/// What the selection came to, for one client, one steering table and one state of the words.
public struct Selection: Sendable {
    /// Slots in answer order; empty when the all-down rule is to refuse.
    public var slots: [Int]
    /// Seconds.
    public var ttl: UInt32
    /// Whether the fast path would have chosen too: false when its lists were exhausted.
    public var isLocal: Bool
    /// Whether the all-down rule chose.
    public var isAllDown: Bool
}

extension SteeringTables {
    /// The list of a place in a table.
    public func list(table: Int, place: Int) -> UnsafePointer<nc_list> {
        let number = classes.classNumber(first: tables[table].classCell, place: place)
        return lists[tables[table].listCell + number]
    }

    /// Chooses nodes: by the lists, as the fast path does, and through the full order where they are exhausted.
    public func select(
        table: Int, place: Int, client: nc_client, rule: nc_rule, words: NodeWords
    ) -> Selection {
        var client = client
        var rule = rule
        var result = nc_selection()
        let list = list(table: table, place: place)
        let backstop = UnsafeRawPointer(lists[Int(list.pointee.backstop)]).assumingMemoryBound(to: nc_backstop.self)
        // The census is looked at only when no listed node is usable: count it only then.
        nc_select(list, backstop, words.pointer, &client, &rule, UInt64.max, &result)
        if result.outcome == NC_EXHAUSTED.rawValue {
            let census = census(of: table, word: words.word)
            nc_select(list, backstop, words.pointer, &client, &rule, census, &result)
        }
        guard result.outcome != NC_EXHAUSTED.rawValue else {
            return FullOrder(tables[table].ranking, nodes: nodes, place: places[place])
                .select(client: client, rule: rule, words: words)
        }
        let slots = withUnsafeBytes(of: result.slot) { bytes in
            (0..<Int(result.count)).map { Int(bytes.load(fromByteOffset: 2 * $0, as: UInt16.self)) }
        }
        return Selection(
            slots: slots, ttl: result.ttl, isLocal: true, isAllDown: result.outcome == NC_CHOSEN_ALL_DOWN.rawValue)
    }
}

/// The walk through every member of a table, for when the lists hold nobody usable. Same rules as
/// `bpf/abi/select.h`, over a list without an end.
struct FullOrder {
    private let steps: [(slot: Int, weight: UInt16, band: Int, idHash: UInt64)]

    init(_ ranking: Ranking, nodes: [SteeringNode], place: Place) {
        steps = ranking.order(for: place, limit: ranking.members.count).map {
            (nodes[$0.node].slot, $0.weight, $0.band, nodes[$0.node].idHash)
        }
    }

    func select(client: nc_client, rule: nc_rule, words: NodeWords) -> Selection {
        var client = client
        let clientHash = nc_client_hash(&client)
        let walk = ordered(clientHash)
        var ttl = NC_TTL_STABLE
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
        let isAllDown = chosen.isEmpty
        if isAllDown {
            ttl = 0
            if rule.all_down == UInt8(NC_ALL_DOWN_OPEN.rawValue) { chosen = walk.map(\.slot) }
        }
        return Selection(
            slots: Array(chosen.prefix(Int(rule.answers))), ttl: max(min(ttl, rule.ttl_max), rule.ttl_min),
            isLocal: false, isAllDown: isAllDown)
    }

    private func ordered(_ clientHash: UInt64) -> [(slot: Int, weight: UInt16, band: Int, idHash: UInt64)] {
        let ranked = steps.enumerated().map { index, step in
            (step, nc_band_rank(nc_candidate_hash(clientHash, step.idHash), UInt32(step.weight)), index)
        }
        // A band with one member keeps its place whatever the rank.
        return ranked.sorted { ($0.0.band, $0.1, $0.2) < ($1.0.band, $1.1, $1.2) }.map(\.0)
    }
}
