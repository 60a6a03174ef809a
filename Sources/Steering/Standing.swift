import Location

/// What a table makes of a place's names and labels, for each member. Places of equal standings differ for the table by
/// their coordinates alone.
struct Standing: Hashable, Sendable {
    /// See `Eligibility.Verdict.stage`; empty: all are candidates.
    var stages: [UInt8] = []
    /// Empty where the strategy does not look at them.
    var affinities: [OriginalScore.Affinity] = []
    /// Milliseconds; -1 where nothing is known. Empty where the strategy does not look at them.
    var latencies: [Int] = []

    var isPlain: Bool { stages.isEmpty && affinities.isEmpty && latencies.isEmpty }
}

/// Tells standings.
struct StandingReader: Sendable {
    let eligibility: Eligibility
    /// Country and region of each member, where the strategy looks at them.
    private let homes: [(country: String?, region: String?)]
    /// Rows of the latency table by member, the most specific first.
    private let rows: [(match: GeoRule.Match, milliseconds: [Int])]
    private let members: Int

    init(_ key: SteeringKey, members: [Int], nodes: [SteeringNode]) {
        self.members = members.count
        eligibility = Eligibility(key.rules, members: members)
        let looksAtHomes = key.strategy.isOriginal && key.scoring.sameRegionPreference
        homes = looksAtHomes ? members.map { (nodes[$0].country, nodes[$0].region) } : []
        let latency = key.strategy == .latency ? key.latency?.rows ?? [:] : [:]
        rows = latency.map { match, times in (match, members.map { times[$0] ?? -1 }) }
            .sorted { left, right in
                left.match.specificity != right.match.specificity
                    ? left.match.specificity > right.match.specificity
                    : left.match.name.utf8.lexicographicallyPrecedes(right.match.name.utf8)
            }
    }

    /// Whether places' names and labels matter.
    var looksAtNames: Bool { !(eligibility.isEmpty && homes.isEmpty && rows.isEmpty) }

    func standing(of place: Place) -> Standing {
        var standing = Standing()
        if !eligibility.isEmpty { standing.stages = eligibility.verdicts(for: place).map(\.stage) }
        if !homes.isEmpty { standing.affinities = homes.map { affinity(place, $0) } }
        if !rows.isEmpty {
            let matching = rows.filter { $0.match.matches(place) }
            standing.latencies = (0..<members).map { member in
                matching.first { $0.milliseconds[member] >= 0 }?.milliseconds[member] ?? -1
            }
        }
        return standing
    }

    /// A region's code counts in its own country only: others have regions of the same name.
    private func affinity(_ place: Place, _ home: (country: String?, region: String?)) -> OriginalScore.Affinity {
        guard let country = place.country, country == home.country else { return .none }
        return place.region != nil && place.region == home.region ? .region : .country
    }
}
