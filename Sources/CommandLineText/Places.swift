import CFastPathABI
import ManagementTypes

extension ClientPlace {
    /// `Frankfurt, Hesse, DE, EU (50.11, 8.68)`, as far as it is known.
    var text: String {
        guard known else { return "unknown: the database has no location for this client" }
        return placeText(names: [city, region, country, continent], latitude, longitude)
    }
}

extension NodeLocation {
    /// The same for a node.
    var text: String {
        placeText(names: [city, region, country, continent], latitude, longitude)
    }
}

private func placeText(names: [String?], _ latitude: Double?, _ longitude: Double?) -> String {
    var distinct: [String] = []
    // Cities that are regions of their own (Berlin, Tokyo) need no second mention.
    for case let name? in names where distinct.last != name { distinct.append(name) }
    let known = distinct.joined(separator: ", ")
    guard let latitude, let longitude else { return known }
    let point = Quantities.coordinates(latitude, longitude)
    return known.isEmpty ? point : "\(known) (\(point))"
}

/// A node's TTL: seconds, or `max` while no change of its state is in sight and the policy's maximum holds.
func nodeTTL(_ seconds: UInt32) -> String {
    seconds == NC_TTL_STABLE ? "max" : "\(seconds) s"
}

extension NodeState {
    var style: TextStyle {
        switch self {
        case .up: .good
        case .degraded, .held, .unknown, .drained, .maintenance: .warning
        case .down: .bad
        }
    }
}
