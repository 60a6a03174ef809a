extension Ranking {
    /// Groups ordered candidates into bands: equal costs share a band, and near ties as the tolerance says.
    func banded(_ candidates: [Candidate]) -> [RankedCandidate] {
        var ranked: [RankedCandidate] = []
        ranked.reserveCapacity(candidates.count)
        var start = 0
        var band = 0
        while start < candidates.count {
            let leader = candidates[start]
            let reach = reach(of: leader)
            var end = start + 1
            while end < candidates.count, sharesBand(candidates[end], with: leader, reach) { end += 1 }
            // The order inside a band has no meaning. It is by id, so that equal bands give equal lists.
            let members = candidates[start..<end]
            for candidate in members.count == 1 ? members : byID(members) {
                let member = self.members[candidate.member]
                ranked.append(
                    RankedCandidate(
                        node: member.node, weight: member.weight, tier: member.tier,
                        squaredChord: candidate.chord ?? 0, band: band))
            }
            start = end
            band += 1
        }
        return ranked
    }

    private func byID(_ candidates: ArraySlice<Candidate>) -> ArraySlice<Candidate> {
        candidates.sorted { members[$0.member].idRank < members[$1.member].idRank }[...]
    }

    func sharesBand(_ candidate: Candidate, with leader: Candidate, _ reach: Double?) -> Bool {
        if candidate.isEqual(to: leader) { return true }
        let (a, b) = (candidate.rankGroup, leader.rankGroup)
        guard let reach, a.tier == b.tier, a.kind == b.kind, let value = value(candidate) else { return false }
        return value <= reach
    }

    /// The largest value that shares the leader's band, if the tolerance applies.
    func reach(of leader: Candidate) -> Double? {
        guard !key.tolerance.isNone, let value = value(leader) else { return nil }
        if key.strategy.isOriginal { return value * Double(100 - key.tolerance.percent) / 100 }
        if leader.rankGroup.kind == .measured { return value * Double(100 + key.tolerance.percent) / 100 }
        return key.tolerance.reach(value)
    }

    /// The value that the tolerance compares, in ascending order: a negated score, milliseconds, or metres less the
    /// bias.
    private func value(_ candidate: Candidate) -> Double? {
        if candidate.rankGroup.kind == .measured { return Double(candidate.rankGroup.milliseconds) }
        guard let chord = candidate.chord, key.strategy != .order, key.strategy != .weighted else { return nil }
        if key.strategy.isOriginal { return -candidate.cost.score }
        return GreatCircle.metres(squaredChord: chord) * Double(100 - candidate.rankGroup.bias) / 100
    }
}
