extension Ranking {
    /// Groups ordered candidates into bands: equal costs share a band, and near ties as the tolerance says.
    func banded(_ contenders: [Contender]) -> [RankedCandidate] {
        var candidates: [RankedCandidate] = []
        candidates.reserveCapacity(contenders.count)
        var start = 0
        var band = 0
        while start < contenders.count {
            let leader = contenders[start]
            let reach = reach(of: leader)
            var end = start + 1
            while end < contenders.count, sharesBand(contenders[end], with: leader, reach) { end += 1 }
            // The order inside a band has no meaning. It is by id, so that equal bands give equal lists.
            let members = contenders[start..<end]
            for contender in members.count == 1 ? members : byID(members) {
                let member = self.members[contender.member]
                candidates.append(
                    RankedCandidate(
                        node: member.node, weight: member.weight, tier: member.tier,
                        squaredChord: contender.chord ?? 0, band: band))
            }
            start = end
            band += 1
        }
        return candidates
    }

    private func byID(_ contenders: ArraySlice<Contender>) -> ArraySlice<Contender> {
        contenders.sorted { members[$0.member].idRank < members[$1.member].idRank }[...]
    }

    func sharesBand(_ contender: Contender, with leader: Contender, _ reach: Double?) -> Bool {
        if contender.isEqual(to: leader) { return true }
        let (a, b) = (contender.circumstance, leader.circumstance)
        guard let reach, a.tier == b.tier, a.kind == b.kind, let value = value(contender) else { return false }
        return value <= reach
    }

    /// The largest value that shares the leader's band, if the tolerance applies.
    func reach(of leader: Contender) -> Double? {
        guard !key.tolerance.isNone, let value = value(leader) else { return nil }
        if key.strategy.isOriginal { return value * Double(100 - key.tolerance.percent) / 100 }
        if leader.circumstance.kind == .measured { return value * Double(100 + key.tolerance.percent) / 100 }
        return key.tolerance.reach(value)
    }

    /// The value that the tolerance compares, in ascending order: a negated score, milliseconds, or metres less the
    /// bias.
    private func value(_ contender: Contender) -> Double? {
        if contender.circumstance.kind == .measured { return Double(contender.circumstance.milliseconds) }
        guard let chord = contender.chord, key.strategy != .order, key.strategy != .weighted else { return nil }
        if key.strategy.isOriginal { return -contender.cost.score }
        return GreatCircle.metres(squaredChord: chord) * Double(100 - contender.circumstance.bias) / 100
    }
}
