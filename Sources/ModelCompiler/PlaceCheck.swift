import ConfigurationModel
import Location
import Steering

/// Finds places named by policies that are not in the location table: such a rule would never apply.
struct PlaceCheck {
    private let places: PlaceTable

    init(_ places: PlaceTable) { self.places = places }

    /// A named place, and the report of its absence.
    private typealias Wanted = (match: GeoRule.Match, report: (String) -> String)

    /// The problems of rules of policies in use, with their location.
    func problems(_ configuration: ServerConfiguration) -> [String] {
        let used = Set(configuration.tailored.flatMap { [$0.policy] + $0.views.map(\.policy) })
        var wanted: [Wanted] = []
        for policy in configuration.policies where used.contains(policy.id) {
            for rule in policy.rules {
                let match: GeoRule.Match
                switch rule.match {
                case .region(let country, let region): match = .region(country: country, region)
                case .label(let label): match = .word(label)
                default: continue
                }
                wanted.append(
                    (
                        match,
                        { "\(configuration.problem(at: rule.mark, "a rule of policy \"\(policy.id)\" is for \($0)"))" }
                    ))
            }
        }
        return problems(wanted)
    }

    /// The problems of a latency file, with their lines.
    func problems(of file: LatencyFile) -> [String] {
        problems(file.places.map { place in (place.match, { "\(file.path):\(place.line): a time is for \($0)" }) })
    }

    private func problems(_ wanted: [Wanted]) -> [String] {
        let known = known(among: Set(wanted.map(\.match)))
        return wanted.compactMap { wanted in
            guard !known.matches.contains(wanted.match) else { return nil }
            switch wanted.match {
            case .region(let country, let region):
                let regions = known.regions[country, default: []].sorted()
                let similar = regions.isEmpty ? "none" : regions.prefix(8).joined(separator: ", ")
                let more = regions.count > 8 ? " and \(regions.count - 8) more" : ""
                return wanted.report(
                    "region \(country)-\(region), which is not in the city database (regions of \(country): \(similar)\(more)): "
                        + "correct it")
            case .label(let label, _):
                return wanted.report("label \(label), which no place has: add it to an entry of geo.overrides")
            default: return nil
            }
        }
    }

    /// The existing regions and labels. The half a million places are searched only if some are named.
    func known(among wanted: Set<GeoRule.Match>) -> (
        matches: Set<GeoRule.Match>, regions: [String: Set<String>]
    ) {
        var matches: Set<GeoRule.Match> = []
        var regions: [String: Set<String>] = [:]
        var labels: [String: GeoRule.Match] = [:]
        for match in wanted {
            switch match {
            case .region(let country, _): regions[country] = []
            case .label(let label, _) where !label.contains(":"): labels[label] = match
            // Countries and continents are fixed lists. Networks and ASNs become labels because they are named.
            default: matches.insert(match)
            }
        }
        guard !regions.isEmpty || !labels.isEmpty else { return (matches, regions) }
        for number in 0..<places.count {
            let place = places[number]
            if let country = place.country, let region = place.region, regions[country] != nil {
                regions[country]?.insert(region)
            }
            for label in place.labels { if let match = labels[label] { matches.insert(match) } }
        }
        for case .region(let country, let region) in wanted where regions[country]?.contains(region) == true {
            matches.insert(.region(country: country, region))
        }
        return (matches, regions)
    }
}
