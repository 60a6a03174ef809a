import Location

/// What a place's names and labels mean for each member of a table. Places of equal standing differ only by their
/// coordinates, as far as the table is concerned.
struct Standing: Hashable, Sendable {
    /// See `Eligibility.Verdict.stage`; empty: all are candidates.
    var stages: [UInt8] = []
    /// Empty unless the strategy uses them.
    var affinities: [OriginalScore.Affinity] = []
    /// Milliseconds; -1 if not measured. Empty unless the strategy uses them.
    var latencies: [Int32] = []

    func stage(_ member: Int) -> UInt8 { stages.isEmpty ? 0 : stages[member] }

    /// The last stage whose members are candidates. Geographic rules are ignored if they leave no member.
    var worstStage: UInt8 { stages.isEmpty || stages.contains(0) ? 0 : 1 }

    /// Whether rules deny every member.
    var isRefused: Bool { !stages.isEmpty && stages.allSatisfy { $0 > 1 } }
}

/// Computes the standing of a place.
struct StandingReader: Sendable {
    let eligibility: Eligibility
    /// Country and region of each member, if the strategy uses them.
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
                Int32(matching.first { $0.milliseconds[member] >= 0 }?.milliseconds[member] ?? -1)
            }
        }
        return standing
    }

    /// A region's code is compared within its country only: other countries have regions of the same name.
    private func affinity(_ place: Place, _ home: (country: String?, region: String?)) -> OriginalScore.Affinity {
        guard let country = place.country, country == home.country else { return .none }
        return place.region != nil && place.region == home.region ? .region : .country
    }
}

/// The standings of all places in one table.
struct Standings: Sendable {
    private let distinct: [Standing]
    /// Number of a place's names → index of its standing; empty if names do not matter.
    private let ofName: [UInt32]

    /// - Parameter names: distinct names and labels of places; empty if they do not matter.
    init(_ reader: StandingReader, names: [Place]) {
        guard reader.looksAtNames else {
            (distinct, ofName) = ([Standing()], [])
            return
        }
        let numbered = PlaceFeatures.Numbered(names.lazy.map(reader.standing))
        (distinct, ofName) = (numbered.distinct, numbered.ofPlace)
    }

    var all: [Standing] { distinct }
    var isOne: Bool { ofName.isEmpty }

    /// Index of the standing of a place.
    ///
    /// - Parameter name: the number of its names.
    func index(name: @autoclosure () -> UInt32) -> Int { ofName.isEmpty ? 0 : Int(ofName[Int(name())]) }

    func standing(name: @autoclosure () -> UInt32) -> Standing { distinct[index(name: name())] }
}
