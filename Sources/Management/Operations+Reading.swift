package import ControlFailures
import ControlPlane
import HealthChecks
package import ManagementTypes
import ModelCompiler
import Resolution
import StateStore
import Steering
package import Telemetry

/// Operations that only read: each takes one snapshot of the state.
extension Operations {
    package func status() async throws(ControlFailure) -> StatusReport {
        let parts = try parts()
        let state = parts.state.current
        guard let nodes = state.nodes else { throw DaemonLife.notServing }
        return StatusBuilder(
            state: state, nodes: nodes, counters: await CountersReport(parts.fastPath, parts.slowPath),
            startedAt: startedAt,
            learning: await parts.roundTrips.report?.learning, limits: parts.limits
        ).report
    }

    package func metrics() async throws(ControlFailure) -> [MetricSample] {
        let parts = try parts()
        let state = parts.state.current
        let nodes = state.served.loaded.model.steering.nodes
        let answers = MetricsBuilder.NodeAnswers(
            fastPath: await parts.fastPath.readAnswers(of: nodes),
            slowPath: Dictionary(
                nodes.map { ($0.id, parts.slowPath.nodeAnswers[$0.slot]) }, uniquingKeysWith: { $1 }))
        return MetricsBuilder(
            state: state, counters: await CountersReport(parts.fastPath, parts.slowPath), startedAt: startedAt,
            rateLimit: parts.slowPath.resolver.settings.rateLimit, expiredHandovers: parts.life.current.lateCount,
            probes: parts.prober.counters, nodeProbes: parts.prober.nodeProbes, nodeAnswers: answers,
            transitions: parts.transitions,
            queries: parts.slowPath.tally.metrics, publishedAt: parts.slowPath.since,
            journal: .init(backlog: parts.store.backlog, lost: parts.store.lost),
            listeners: parts.listenerMetrics(), roundTrips: await parts.roundTrips.metrics
        ).samples
    }

    package func explain(_ request: ExplainRequest) async throws(ControlFailure) -> ExplainReport {
        let parts = try parts()
        let question = try Explanation.Question(request)
        let tables = FastPathAnswers(
            answersAlike: await parts.fastPath.answersAlike(question.name, question.type),
            makesAnswer: await parts.fastPath.makesAnswer(question.name, question.type))
        return try Explainer(
            state: parts.state.current, resolver: parts.slowPath.resolver.steering, tables: tables
        ).report(question, client: request.from)
    }

    package func inspectNames(_ request: InspectNamesRequest) async throws(ControlFailure) -> NamesReport {
        try Inspector(model: served().model).names(request)
    }

    package func inspectLocation(_ prefix: String) async throws(ControlFailure) -> LocationReport {
        try Inspector(model: served().model).location(prefix)
    }

    package func inspectNodes() async throws(ControlFailure) -> NodeTableReport {
        let parts = try parts()
        let state = parts.state.current
        return Inspector(model: state.served.loaded.model)
            .nodes(parts.words, generation: UInt32(state.fastPath.generation))
    }

    package func inspectCounters() async throws(ControlFailure) -> CountersReport {
        let parts = try parts()
        return await CountersReport(parts.fastPath, parts.slowPath)
    }

    package func nodes() async throws(ControlFailure) -> [NodeReport] { try view().reports() }

    package func roundTrips() async throws(ControlFailure) -> RoundTripsReport {
        guard let report = await (try parts()).roundTrips.report else {
            throw ControlFailure(
                .notFound, "this daemon learns no round-trip times",
                remedy: "add rtt: {node: ID, ports: [443]} to the configuration")
        }
        return report
    }
}
