public import Health
import Synchronization

/// The probes of one node since it is known.
public struct NodeProbes: Hashable, Sendable {
    public internal(set) var passed: UInt64 = 0
    public internal(set) var failed: UInt64 = 0
    /// Probes that this host could not run.
    public internal(set) var unasked: UInt64 = 0
    /// The time that probes took which passed or failed.
    public internal(set) var microseconds: UInt64 = 0
    /// When the certificates expire that checks saw last, in seconds since 1970.
    public internal(set) var expiries: [Check: Int64] = [:]

    /// None yet.
    public init() {}

    mutating func count(_ report: ProbeReport) {
        switch report.outcome.result {
        case .passed: passed += 1
        case .failed, .refused: failed += 1
        case .unasked: unasked += 1
        }
        if report.outcome.result != .unasked { microseconds += UInt64(max(0, report.tookMicroseconds ?? 0)) }
        if let expiry = report.outcome.certificateExpiry { expiries[report.check] = expiry }
    }
}

/// Counts the probes of each node.
final class ProbeTally: Sendable {
    private let nodes = Mutex<[String: NodeProbes]>([:])

    /// By the id of the node.
    var counts: [String: NodeProbes] { nodes.withLock { $0 } }

    /// Counts for exactly the nodes of `plan`: a node that is gone takes no memory.
    func use(_ plan: [String: [Check]]) {
        nodes.withLock { nodes in
            nodes = nodes.filter { plan[$0.key] != nil }
            for (node, checks) in plan {
                nodes[node, default: NodeProbes()].expiries.keep(checks)
            }
        }
    }

    func count(_ reports: [ProbeReport]) {
        nodes.withLock { nodes in
            // A report that was under way when its node left starts no count of its own.
            for report in reports { nodes[report.node]?.count(report) }
        }
    }
}

extension [Check: Int64] {
    fileprivate mutating func keep(_ checks: [Check]) {
        guard !isEmpty else { return }
        let wanted = Set(checks)
        self = filter { wanted.contains($0.key) }
    }
}
