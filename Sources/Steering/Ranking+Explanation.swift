public import Location

extension Ranking {
    /// The position of every member of the pool for a client at `place`, computed by the same steps as `order`.
    public func explanation(for place: Place) -> RankingExplanation {
        let candidateSet = candidateSet(for: place)
        let verdicts = standings.eligibility.verdicts(for: place)
        let point = place.coordinates.map(SpherePoint.init)
        let candidates = candidates(in: candidateSet, around: point, limit: members.count)
        let ranked = banded(candidates)
        let ofNode = Dictionary(
            candidates.map { (members[$0.member].node, $0) }, uniquingKeysWith: { first, _ in first })
        var reports = ranked.compactMap { candidate in
            ofNode[candidate.node].map {
                report($0, band: candidate.band, verdicts[$0.member], isLocated: point != nil)
            }
        }
        let met = Set(candidates.map(\.member))
        for index in members.indices where !met.contains(index) {
            reports.append(report(dropped: index, verdicts[index], place))
        }
        reports += withoutAddress.map { member in
            RankingExplanation.Member(
                member: member, dropped: .noAddress, rule: nil, metres: nil, score: nil, milliseconds: nil, band: nil)
        }
        let isBeyond = candidates.contains { ($0.chord ?? 0) > maximum }
        return RankingExplanation(
            members: reports,
            relaxation: candidateSet.isGeographyRelaxed
                ? (isBeyond ? .both : .geography) : isBeyond ? .distance : .none,
            isRefused: candidateSet.isRefused)
    }

    private func report(
        _ candidate: Candidate, band: Int, _ verdict: Eligibility.Verdict, isLocated: Bool
    ) -> RankingExplanation.Member {
        let hasScore = key.strategy.isOriginal && isLocated
        var rule: Int?
        if case .candidate(let index) = verdict { rule = index }
        return RankingExplanation.Member(
            member: members[candidate.member].asPoolMember, dropped: nil, rule: rule,
            metres: candidate.chord.map(GreatCircle.metres(squaredChord:)),
            score: hasScore ? candidate.cost.score : nil,
            milliseconds: candidate.rankGroup.kind == .measured ? candidate.rankGroup.milliseconds : nil,
            band: band)
    }

    private func report(
        dropped index: Int, _ verdict: Eligibility.Verdict, _ place: Place
    ) -> RankingExplanation.Member {
        let reason: RankingExplanation.Dropped =
            switch verdict {
            case .candidate: .beyondMaximum
            case .notAllowed: .notAllowed
            case .pinnedElsewhere(let rule): .pinnedElsewhere(rule: rule)
            case .denied(let rule): .denied(rule: rule)
            }
        let chord = place.coordinates.map { members[index].point.squaredChord(to: SpherePoint($0)) }
        return RankingExplanation.Member(
            member: members[index].asPoolMember, dropped: reason, rule: nil,
            metres: members[index].isLocated ? chord.map(GreatCircle.metres(squaredChord:)) : nil, score: nil,
            milliseconds: nil, band: nil)
    }
}
