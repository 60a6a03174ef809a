import DNSWire
import IPNetworks
import Simulation

/// A measure of a change that is applied only if somebody accepts it by name.
package enum Guard: String, CaseIterable, Sendable {
    /// More than ``Guard/movedPercent`` of the clients of a name get another node.
    case clientsMoved = "clients_moved"
    /// Clients that get an answer would get none.
    case clientsCut = "clients_cut"
    /// A node gets other addresses.
    case addressesChanged = "addresses_changed"
    /// Clients may move by choices that are not measured: for views, and of records other than addresses.
    case unmeasured
    /// A tailored name is no longer tailored.
    case namesRemoved = "names_removed"
    /// A zone is no longer served.
    case zonesRemoved = "zones_removed"
    /// A zone loses ``Guard/removedRecords`` records, or ``Guard/removedPercent`` percent of them.
    case recordsRemoved = "records_removed"
    /// The name servers of a zone change.
    case apexChanged = "apex_changed"

    package static let movedPercent = 5.0
    package static let removedRecords = 10
    package static let removedPercent = 30
}

/// A guard that a change trips, and by what.
package struct TrippedGuard: Hashable, Sendable {
    package let `guard`: Guard
    /// What was measured, in a few words.
    package let measure: String

    static func all(_ candidate: ChangeCandidate, _ effect: ChangeEffect) -> [TrippedGuard] {
        let measures: [(Guard, String?)] = [
            (.clientsMoved, moved(effect)), (.clientsCut, cut(effect)),
            (.addressesChanged, names(effect.readdressed)), (.unmeasured, names(effect.unmeasured)),
            (.namesRemoved, names(candidate.preview.difference.tailored.removed)),
            (.zonesRemoved, names(candidate.preview.difference.zones.removed)),
            (.recordsRemoved, records(candidate)), (.apexChanged, names(candidate.apexes.map { "\($0)" })),
        ]
        return measures.compactMap { kind, measure in measure.map { TrippedGuard(guard: kind, measure: $0) } }
    }

    /// The name with the most moved clients.
    private static func moved(_ effect: ChangeEffect) -> String? {
        let worst = effect.parts.max { $0.share($0.moved) < $1.share($1.moved) }
        guard let worst, worst.share(worst.moved) * 100 > Guard.movedPercent else { return nil }
        return text(worst.share(worst.moved) * 100, worst)
    }

    private static func cut(_ effect: ChangeEffect) -> String? {
        let worst = effect.parts.max { $0.share($0.cut) < $1.share($1.cut) }
        guard let worst, worst.cut > 0 else { return nil }
        return text(worst.share(worst.cut) * 100, worst)
    }

    private static func text(_ percent: Double, _ part: ChangeEffect.Part) -> String {
        let tenths = Int((percent * 10).rounded())
        let share = tenths == 0 ? "less than 0.1 %" : "\(tenths / 10).\(tenths % 10) %"
        let more = part.names.count - 1
        let others = more > 0 ? " and of \(more) more \(more == 1 ? "name" : "names")" : ""
        return "\(share) of the \(part.family == .v4 ? "IPv4" : "IPv6") clients of \(part.names[0])\(others)"
    }

    private static func records(_ candidate: ChangeCandidate) -> String? {
        let lossy = candidate.preview.zones.filter { zone in
            zone.lost >= Guard.removedRecords
                || zone.lost * 100 > Guard.removedPercent * candidate.records[zone.origin, default: 0]
        }
        guard let worst = lossy.max(by: { $0.lost < $1.lost }) else { return nil }
        return "\(worst.lost) records of \(worst.origin)"
            + (lossy.count > 1 ? ", and \(lossy.count - 1) more zones" : "")
    }

    private static func names(_ names: [String]) -> String? {
        guard let first = names.first else { return nil }
        // Lists of differences hold the first hundred.
        let more = names.count == 100 ? "99 or more others" : "\(names.count - 1) more"
        return names.count == 1 ? first : "\(first) and \(more)"
    }
}
