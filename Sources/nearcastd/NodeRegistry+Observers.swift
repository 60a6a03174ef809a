import ControlFailures
import Health
import HealthChecks
import Logging
import ManagementTypes
import Steering
import Telemetry

/// What other vantage points see.
extension NodeRegistry {
    /// Takes what one of them sees.
    func take(_ verdicts: ObserverVerdicts, from observer: String) throws(ControlFailure) -> VerdictsReceipt {
        try requireFree()
        let now = Moment.now
        let counted = verdicts.verdicts.filter { fleet.nodes[$0.key]?.rules.checks.isEmpty == false }
        let isCounted = observers.take(
            counted.mapValues { $0 == .up ? .up : .down }, from: observer, at: now)
        guard isCounted, observer != Observers.own else {
            throw ControlFailure(
                .notFound, "there is no observer \"\(observer)\"", remedy: "add it to health.observers")
        }
        consult()
        write()
        return VerdictsReceipt(
            observer: observer, counted: counted.count, isHeard: observers.heard(at: now).contains(observer),
            validSeconds: Int(observers.freshness / 1_000),
            ignored: NodeStatement.told(verdicts.verdicts.keys.filter { counted[$0] == nil }))
    }

    /// Counts others from now on.
    func use(observers others: [String]) {
        observers.use(others: others)
        // What is not checked is not agreed on: what was is of no use when it is checked again.
        observers.keep(Set(fleet.nodes.filter { !$0.value.rules.checks.isEmpty }.keys))
        if !observers.areSeveral {
            let now = Moment.now
            for (id, health) in fleet.nodes where health.agreed != nil {
                apply(fleet.agree(on: nil, of: id, at: now).map { [$0] } ?? [])
            }
        }
        consult()
    }

    /// Says what this daemon sees, and takes over what is agreed. Where there is nobody else it decides alone, at once.
    func consult() {
        guard observers.areSeveral else { return }
        let now = Moment.now
        var own: [String: Observers.Verdict] = [:]
        for (id, health) in fleet.nodes where !health.rules.checks.isEmpty {
            own[id] = health.opinion
            guard health.agreed == nil else { continue }
            // What was so before there was anybody to agree with stays.
            observers.assume(health.verdict, of: id)
            apply(fleet.agree(on: observers.agreed(id), of: id, at: now).map { [$0] } ?? [])
        }
        _ = observers.take(own, from: Observers.own, at: now)
        for (node, verdict) in observers.decide(at: now) {
            guard let effect = fleet.agree(on: verdict, of: node, at: now) else { continue }
            let said = (observed(node) ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            apply([effect], evidence: "observers: \(said.joined(separator: ", "))")
        }
        tellQuorum(at: now)
    }

    private func tellQuorum(at now: Moment) {
        let hasQuorum = observers.hasQuorum(at: now)
        guard hasQuorum != hadQuorum else { return }
        hadQuorum = hasQuorum
        if hasQuorum {
            logger.notice("enough observers are heard again: states follow them")
        } else {
            logger.error(
                "too few observers are heard: checks change no state until there are more",
                metadata: ["heard": "\(observers.heard(at: now).map(Self.name).joined(separator: " "))"])
        }
    }

    private static func name(_ point: String) -> String { point == Observers.own ? "own" : point }

    /// What each vantage point sees of a node, by name.
    func observed(_ id: String) -> [String: String]? {
        guard observers.areSeveral else { return nil }
        let verdicts = observers.verdicts(of: id, at: .now)
        return Dictionary(
            uniqueKeysWithValues: observers.points.map { (Self.name($0), verdicts[$0]?.rawValue ?? "silent") })
    }

    var observerMetrics: [MetricSample] {
        guard observers.areSeveral else { return [] }
        let now = Moment.now
        let (heard, cutOff) = (observers.heard(at: now), observers.cutOff(at: now))
        return observers.points.map { point in
            MetricSample(
                "nearcast_observer_heard", .gauge,
                help: "1: the vantage point counts; 0: it is silent; -1: it is taken to be cut off.",
                labels: ["observer": Self.name(point)],
                value: heard.contains(point) ? 1 : cutOff.contains(point) ? -1 : 0)
        }
    }

    var reportedMetrics: [MetricSample] {
        entries.values.sorted { $0.node.id < $1.node.id }.flatMap { entry -> [MetricSample] in
            guard let metrics = entry.reported else { return [] }
            func sample(_ name: String, _ help: String, _ value: Double?) -> MetricSample? {
                value.map { MetricSample(name, .gauge, help: help, labels: ["node": entry.node.id], value: $0) }
            }
            return [
                sample("nearcast_node_reported_load", "What the node said last of its load.", metrics.load),
                sample("nearcast_node_reported_capacity", "And of what it can do.", metrics.capacity),
                sample(
                    "nearcast_node_reported_connections", "And of its connections.",
                    metrics.connections.map { Double($0) }),
                sample(
                    "nearcast_node_reported_age_seconds", "How long ago that was.",
                    Double(Moment.now - metrics.at) / 1_000),
            ].compactMap(\.self)
        }
    }
}
