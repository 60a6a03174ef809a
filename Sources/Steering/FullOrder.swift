import CFastPathABI
import IPNetworks
import Location

/// Walks every candidate of a place, for what lists do not hold or cannot express. The rules are those of
/// `bpf/abi/select.h`, over a list without a length limit; in addition, tiers with too few usable members come last.
///
/// Candidates are ordered only as far as the walk goes: they lie in a heap, and the walk removes one band at a time.
/// Apart from scratch memory for the heap and the answer itself, nothing is allocated.
struct FullOrder {
    private let ranking: Ranking
    private let standing: Standing
    private let point: SpherePoint?

    /// - Parameters:
    ///   - standing: of the place.
    ///   - point: of the place; nil where it is unknown.
    init(_ ranking: Ranking, _ standing: Standing, around point: SpherePoint?) {
        self.ranking = ranking
        self.standing = standing
        self.point = point
    }

    func select(client: nc_client, rule: nc_rule, words: NodeWords) -> Selection {
        var client = client
        var walk = Walk(
            clientHash: nc_client_hash(&client), words: words, family: ranking.key.family, answers: Int(rule.answers))
        let isDenied = standing.isRefused && !ranking.members.isEmpty
        withUnsafeTemporaryAllocation(of: HeapEntry.self, capacity: ranking.members.count) { memory in
            var heap = CandidateHeap(memory)
            if !isDenied { fill(&heap, &walk) }
            while !walk.isDone, let leader = heap.takeFirst() { meetBand(of: leader, &heap, &walk) }
        }
        var chosen = walk.chosen.isEmpty ? (walk.usable.isEmpty ? walk.unknown : walk.usable) : walk.chosen
        let isAllDown = chosen.isEmpty && !isDenied
        if isAllDown {
            walk.ttl = 0
            if rule.all_down == UInt8(NC_ALL_DOWN_OPEN.rawValue) { chosen = walk.met }
        }
        return Selection(
            slots: chosen.slots, ttl: max(min(walk.ttl, rule.ttl_max), rule.ttl_min), isLocal: false,
            isAllDown: isAllDown, isDenied: isDenied)
    }

    // MARK: - Candidates

    /// Adds every candidate within the maximum distance; if there is none, every candidate.
    private func fill(_ heap: inout CandidateHeap, _ walk: inout Walk) {
        let late = ranking.lateTiers(walk.words, &walk.ttl)
        add(to: &heap, walk, late, maximum: ranking.maximum)
        if heap.isEmpty, ranking.maximum != .max { add(to: &heap, walk, late, maximum: .max) }
        heap.order()
    }

    private func add(to heap: inout CandidateHeap, _ walk: Walk, _ late: [Bool], maximum: UInt64) {
        let worst = standing.worstStage
        for index in ranking.members.indices where standing.stage(index) <= worst {
            let chord = chord(index)
            if let chord, chord > maximum { continue }
            heap.append(entry(index, chord, walk, isLate: isLate(index, late)))
        }
    }

    private func isLate(_ index: Int, _ late: [Bool]) -> Bool {
        ranking.members[index].tier < late.count && late[ranking.members[index].tier]
    }

    private func chord(_ index: Int) -> UInt64? {
        guard let point, ranking.members[index].isLocated else { return nil }
        return point.squaredChord(to: ranking.members[index].point)
    }

    /// Whether candidates are compared by distance.
    private var isByDistance: Bool { point != nil && ranking.comparesDistances }

    private func entry(_ index: Int, _ chord: UInt64?, _ walk: Walk, isLate: Bool) -> HeapEntry {
        let member = ranking.members[index]
        let rankGroup = ranking.rankGroup(of: index, standing)
        let cost: UInt64 =
            if isByDistance {
                ranking.cost(index, chord, rankGroup)
            } else if ranking.key.strategy == .weighted {
                // All members are in one band, however many there are: the rank alone gives their order.
                walk.rank(member)
            } else { UInt64(index) }
        // Without distances, the reason why a location is unknown does not matter.
        let kind = isByDistance || rankGroup.kind == .measured ? rankGroup.kind.rawValue : 1
        return HeapEntry(
            group: (isLate ? 1 << 63 : 0) | UInt64(rankGroup.tier) << 40 | UInt64(kind) << 32
                | UInt64(rankGroup.milliseconds),
            cost: cost, idRank: UInt32(member.idRank), member: UInt32(index))
    }

    // MARK: - Bands

    /// Walks through the band of a leading candidate.
    private func meetBand(of leader: HeapEntry, _ heap: inout CandidateHeap, _ walk: inout Walk) {
        guard ranking.key.strategy != .weighted else { return walk.meet(ranking.members[Int(leader.member)]) }
        let first = candidate(leader)
        let reach = ranking.reach(of: first)
        var count = 1
        while let next = heap.first, ranking.sharesBand(candidate(next), with: first, reach) {
            _ = heap.takeFirst()
            count += 1
        }
        // The rank does not matter in a band with one member.
        guard count > 1 else { return walk.meet(ranking.members[Int(leader.member)]) }
        var band = heap.taken(count)
        for index in band.indices { band[index].cost = walk.rank(ranking.members[Int(band[index].member)]) }
        band.sort { ($0.cost, $0.idRank) < ($1.cost, $1.idRank) }
        for entry in band where !walk.isDone { walk.meet(ranking.members[Int(entry.member)]) }
    }

    private func candidate(_ entry: HeapEntry) -> Candidate {
        let index = Int(entry.member)
        return Candidate(
            member: index, rankGroup: ranking.rankGroup(of: index, standing), chord: chord(index),
            cost: entry.cost)
    }
}

extension FullOrder {
    /// The nodes that the walk has reached so far.
    private struct Walk {
        let clientHash: UInt64
        let words: NodeWords
        /// Whose words count.
        let family: IPFamily?
        let answers: Int
        var ttl = NC_TTL_STABLE
        private(set) var chosen = FewSlots()
        private(set) var usable = FewSlots()
        private(set) var unknown = FewSlots()
        /// In any state.
        private(set) var met = FewSlots()

        init(clientHash: UInt64, words: NodeWords, family: IPFamily?, answers: Int) {
            self.clientHash = clientHash
            self.words = words
            self.family = family
            self.answers = answers
        }

        var isDone: Bool { chosen.count >= answers }

        /// The rank inside a band; the smallest comes first.
        func rank(_ member: Ranking.Member) -> UInt64 {
            nc_band_rank(nc_candidate_hash(clientHash, member.idHash), UInt32(member.weight))
        }

        mutating func meet(_ member: Ranking.Member) {
            let word = words.word(member.slot, family)
            ttl = min(ttl, nc_word_ttl(word))
            met.append(member.slot, limit: answers)
            switch nc_word_state(word) {
            case NC_NODE_UP.rawValue, NC_NODE_DEGRADED.rawValue:
                usable.append(member.slot, limit: answers)
                let drawn = UInt32(truncatingIfNeeded: nc_candidate_hash(clientHash, member.idHash) & 0xff)
                if nc_word_share(word) >= UInt32(NC_SHARE_FULL) || drawn < nc_word_share(word) {
                    chosen.append(member.slot, limit: answers)
                }
            case NC_NODE_UNKNOWN.rawValue: unknown.append(member.slot, limit: answers)
            default: break
            }
        }
    }
}

/// As many slots as an answer has, in order.
private struct FewSlots {
    private var memory = SIMD8<UInt16>()
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    var slots: [Int] { (0..<count).map { Int(memory[$0]) } }

    /// Adds a slot, unless there are `limit` already.
    mutating func append(_ slot: Int, limit: Int) {
        guard count < min(limit, Int(NC_MAX_ANSWERS)) else { return }
        memory[count] = UInt16(slot)
        count += 1
    }
}

extension Ranking {
    /// Tiers that need more than one usable member: how many they need, and how many they have.
    public func tiersNeedingMore(_ words: NodeWords) -> [(tier: Int, minimum: Int, usable: Int)] {
        var ttl = NC_TTL_STABLE
        let usable = usableOfTiers(words, &ttl)
        return key.tierMinimum.indices.filter { key.tierMinimum[$0] > 1 }.map { ($0, key.tierMinimum[$0], usable[$0]) }
    }

    /// Whether each tier has fewer usable members than it needs. Lowers `ttl` to that of the nodes that decide this.
    fileprivate func lateTiers(_ words: NodeWords, _ ttl: inout UInt32) -> [Bool] {
        guard !key.tierMinimum.isEmpty else { return [] }
        return zip(usableOfTiers(words, &ttl), key.tierMinimum).map { $1 > 1 && $0 < $1 }
    }

    /// By tier, for tiers that need more than one usable member.
    private func usableOfTiers(_ words: NodeWords, _ ttl: inout UInt32) -> [Int] {
        var usable = Array(repeating: 0, count: key.tierMinimum.count)
        for member in members where member.tier < usable.count && key.tierMinimum[member.tier] > 1 {
            let word = words.word(member.slot, key.family)
            ttl = min(ttl, nc_word_ttl(word))
            let state = nc_word_state(word)
            if state == NC_NODE_UP.rawValue || state == NC_NODE_DEGRADED.rawValue { usable[member.tier] += 1 }
        }
        return usable
    }
}
