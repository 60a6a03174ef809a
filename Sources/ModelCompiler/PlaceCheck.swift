import ConfigurationModel
import Location
import Steering

/// Finds what policies name and no place of the location table has: such a rule would never be of use.
struct PlaceCheck {
    private let places: PlaceTable

    init(_ places: PlaceTable) { self.places = places }

    /// What is named, and how it is told that there is no such place.
    private typealias Wanted = (match: GeoRule.Match, report: (String) -> String)

    /// The problems of the rules of policies in use, at the lines that name what is not there.
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

    /// The problems of a file of measured times, at its lines.
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
                    "region \(country)-\(region), which the city database does not know (of \(country) it knows \(similar)\(more)): "
                        + "correct it")
            case .label(let label, _):
                return wanted.report("label \(label), which no place has: add it to an entry of geo.overrides")
            default: return nil
            }
        }
    }

    /// Which regions and labels there are. The half a million places are looked through only where some are asked for.
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
            // Of countries and continents the lists are known; networks and ASNs become labels because they are named.
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
