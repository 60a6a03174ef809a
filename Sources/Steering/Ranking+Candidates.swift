extension Ranking {
    /// The first `limit` of a candidate set as seen from `point`, within the maximum distance; without it if none is
    /// within.
    func candidates(in candidateSet: CandidateSet, around point: SpherePoint?, limit: Int) -> [Candidate] {
        let found = search(candidateSet, point, limit: limit, maximum: maximum)
        return found.isEmpty && maximum != .max ? search(candidateSet, point, limit: limit, maximum: .max) : found
    }

    private func search(_ candidateSet: CandidateSet, _ point: SpherePoint?, limit: Int, maximum: UInt64) -> [Candidate]
    {
        guard let point, key.strategy != .order, key.strategy != .weighted else {
            return positional(candidateSet, point, limit: limit, maximum: maximum)
        }
        var found: [Candidate] = []
        found.reserveCapacity(min(limit, candidateSet.members.count))
        var first = 0
        while first < candidateSet.groups.count, found.count < limit {
            let rankGroup = candidateSet.groups[first].rankGroup
            let end = candidateSet.groups[first...].firstIndex { !$0.rankGroup.isOfClass(of: rankGroup) }
            let groups = candidateSet.groups[first..<(end ?? candidateSet.groups.count)]
            merge(groups, point, limit: limit, maximum: maximum, into: &found)
            first = groups.endIndex
        }
        return found
    }

    /// Appends the members of groups of one class by cost; ties go by id.
    private func merge(
        _ groups: ArraySlice<CandidateSet.Group>, _ point: SpherePoint, limit: Int, maximum: UInt64,
        into found: inout [Candidate]
    ) {
        let room = limit - found.count
        if groups.count == 1, let group = groups.first {
            for (chord, member) in group.nearest(point, limit: room, maximum: maximum) {
                found.append(candidate(member, chord, group.rankGroup))
            }
            return
        }
        var queues = groups.map { group in
            Queue(
                rankGroup: group.rankGroup, found: group.nearest(point, limit: room, maximum: maximum))
        }
        for index in queues.indices { advance(&queues[index]) }
        while found.count < limit {
            var best: (queue: Int, head: Candidate)?
            for (index, queue) in queues.enumerated() {
                guard let head = queue.head else { continue }
                if let best, !precedes(head, best.head) { continue }
                best = (index, head)
            }
            guard let best else { return }
            found.append(best.head)
            advance(&queues[best.queue])
        }
    }

    /// The members of one group, nearest first, while groups are merged.
    private struct Queue {
        let rankGroup: RankGroup
        let found: [(chord: UInt64?, member: Int)]
        var next = 0
        var head: Candidate?
    }

    private func advance(_ queue: inout Queue) {
        queue.head = nil
        guard queue.next < queue.found.count else { return }
        let (chord, member) = queue.found[queue.next]
        queue.head = candidate(member, chord, queue.rankGroup)
        queue.next += 1
    }

    private func precedes(_ left: Candidate, _ right: Candidate) -> Bool {
        left.cost != right.cost
            ? left.cost < right.cost : members[left.member].idRank < members[right.member].idRank
    }

    private func candidate(_ member: Int, _ chord: UInt64?, _ rankGroup: RankGroup) -> Candidate {
        Candidate(
            member: member, rankGroup: rankGroup, chord: chord, cost: cost(member, chord, rankGroup))
    }

    func cost(_ member: Int, _ chord: UInt64?, _ rankGroup: RankGroup) -> UInt64 {
        if key.strategy.isOriginal {
            return UInt64(
                costOf: chord.map { score.score(chord: $0, affinity: rankGroup.affinity) }
                    ?? OriginalScore.unknownPlace)
        }
        // After the members whose distance is known, in the pool's order.
        guard let chord else { return 1 << 63 | UInt64(member) }
        guard isBiased else { return chord }
        return (GreatCircle.metres(squaredChord: chord) * Double(100 - rankGroup.bias)).bitPattern
    }

    /// In the pool's order, tier by tier; measured members first.
    private func positional(
        _ candidateSet: CandidateSet, _ point: SpherePoint?, limit: Int, maximum: UInt64
    ) -> [Candidate] {
        var found: [Candidate] = []
        let isUnordered = key.strategy == .weighted
        for group in candidateSet.groups {
            for member in group.members {
                let isLocated = point != nil && group.rankGroup.isLocated
                let chord = isLocated ? point?.squaredChord(to: members[member].point) : nil
                if let chord, chord > maximum { continue }
                let position = isUnordered ? 0 : UInt64(member)
                found.append(
                    Candidate(member: member, rankGroup: group.rankGroup, chord: chord, cost: position))
            }
        }
        found.sort { left, right in
            let (a, b) = (left.rankGroup, right.rankGroup)
            if a.tier != b.tier { return a.tier < b.tier }
            if a.milliseconds != b.milliseconds || a.kind != b.kind, a.kind == .measured || b.kind == .measured {
                return RankGroup.precedes(a, b)
            }
            return precedes(left, right)
        }
        return Array(found.prefix(limit))
    }

    /// Everything besides distance that decides about a member.
    func rankGroup(of index: Int, _ standing: Standing) -> RankGroup {
        let member = members[index]
        let milliseconds = standing.latencies.isEmpty ? -1 : Int(standing.latencies[index])
        let hasPlace = member.isLocated || key.strategy.isOriginal
        let looksAtPlace = key.strategy != .order && key.strategy != .weighted
        return RankGroup(
            tier: member.tier,
            kind: milliseconds >= 0 ? .measured : hasPlace || !looksAtPlace ? .ranked : .unlocated,
            milliseconds: max(milliseconds, 0), isLocated: member.isLocated,
            bias: key.strategy == .nearest ? member.bias : 0,
            affinity: standing.affinities.isEmpty ? .none : standing.affinities[index])
    }
}
