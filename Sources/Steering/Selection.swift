public import CFastPathABI
import Location

/// The result of a selection, for one client, one steering table and one state of the node words.
public struct Selection: Sendable {
    /// Slots in answer order. Empty if rules deny every member, or if the all-down rule does not answer with the pool.
    public var slots: [Int]
    /// Seconds.
    public var ttl: UInt32
    /// Whether the fast path makes this choice too; false if its lists are exhausted.
    public var isLocal: Bool
    /// Whether no node is usable, so that the all-down rule decides.
    public var isAllDown: Bool
    /// Whether rules deny every member. The client gets REFUSED then, whatever the all-down rule.
    public var isDenied = false
}

extension SteeringTables {
    /// The list of a place in a table.
    public func list(table: Int, place: Int) -> UnsafePointer<nc_list> {
        let number = classes.classNumber(first: tables[table].classCell, place: place)
        return lists[tables[table].listCell + number]
    }

    /// Chooses nodes: by the lists, as the fast path does, or by the full order if the lists are exhausted or cannot
    /// express it.
    public func select(
        table: Int, place: Int, client: nc_client, rule: nc_rule, words: NodeWords
    ) -> Selection {
        selectByList(table: table, place: place, client: client, rule: rule, words: words)
            ?? selectByFullOrder(table: table, place: place, client: client, rule: rule, words: words)
    }

    /// The fast path's choice; nil if it leaves the choice to user space.
    public func selectByList(
        table: Int, place: Int, client: nc_client, rule: nc_rule, words: NodeWords
    ) -> Selection? {
        var client = client
        var rule = rule
        var result = nc_selection()
        let list = list(table: table, place: place)
        let set = wordSet(of: tables[table].key.family)
        guard list.pointee.count > 0 else { return nil }
        let backstop = UnsafeRawPointer(lists[Int(list.pointee.backstop)]).assumingMemoryBound(to: nc_backstop.self)
        // The census matters only if no listed node is usable, so it is computed only then.
        nc_select(list, backstop, words.pointer, set, &client, &rule, UInt64.max, &result)
        if result.outcome == NC_EXHAUSTED.rawValue {
            let census = census(of: table, word: words.word)
            nc_select(list, backstop, words.pointer, set, &client, &rule, census, &result)
        }
        guard result.outcome != NC_EXHAUSTED.rawValue else { return nil }
        let slots = withUnsafeBytes(of: result.slot) { bytes in
            (0..<Int(result.count)).map { Int(bytes.load(fromByteOffset: 2 * $0, as: UInt16.self)) }
        }
        return Selection(
            slots: slots, ttl: result.ttl, isLocal: true, isAllDown: result.outcome == NC_CHOSEN_ALL_DOWN.rawValue)
    }

    /// Chooses among every candidate, without the lists. If a list holds all candidates, the choice is the same.
    public func selectByFullOrder(
        table: Int, place: Int, client: nc_client, rule: nc_rule, words: NodeWords
    ) -> Selection {
        let table = tables[table]
        let order = FullOrder(
            table.ranking, table.standings.standing(name: nameOfPlace[place]),
            around: places.coordinates(place).map(SpherePoint.init))
        return order.select(client: client, rule: rule, words: words)
    }
}
