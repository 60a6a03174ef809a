public import ControlFailures
public import ManagementTypes
public import Telemetry

/// What the daemon does for the control interface. Called by many requests at once.
public protocol ControlHandling: ReportHandling, RecordHandling {
    func status() async throws(ControlFailure) -> StatusReport
    /// - Throws: `invalid` for a name, type or prefix that cannot be read, `notFound` for a name that is not served.
    func explain(_ request: ExplainRequest) async throws(ControlFailure) -> ExplainReport
    /// All nodes, ordered by id.
    func nodes() async throws(ControlFailure) -> [NodeReport]
    /// - Throws: `notFound` for an unknown node.
    func setNode(_ id: String, to change: NodeStateChange) async throws(ControlFailure) -> NodeReport
    /// One wish for many nodes: all of them follow it, or none does.
    ///
    /// - Throws: `notFound` for an unknown node or pool.
    func setNodes(_ change: NodesStateChange) async throws(ControlFailure) -> NodesStateReport
    /// Changes of a node's state, the latest first.
    func history(of id: String, limit: Int) async throws(ControlFailure) -> [TransitionReport]
    /// Changes of all nodes after the one numbered `sequence`; without it none, and where to ask from. Waits for the first
    /// so many seconds.
    func transitions(after sequence: UInt64?, waitSeconds: Int) async throws(ControlFailure) -> TransitionsReport
    func inspectNames(_ request: InspectNamesRequest) async throws(ControlFailure) -> NamesReport
    /// - Parameter prefix: an address or prefix as text.
    func inspectLocation(_ prefix: String) async throws(ControlFailure) -> LocationReport
    func inspectNodes() async throws(ControlFailure) -> NodeTableReport
    func inspectCounters() async throws(ControlFailure) -> CountersReport
    /// Takes the program off every interface and removes what is pinned; user space goes on answering.
    func detach() async throws(ControlFailure) -> DetachReport
    /// Stops changing states, tables and pins, and goes on answering, until SIGTERM, until the successor's process is gone,
    /// or until it has not asked again in time: then all is as before.
    ///
    /// - Parameter peer: the process that asks, as the kernel names it; 0: of another PID namespace.
    /// - Throws: `forbidden` when it asks for another process, `conflict` while another successor takes over.
    func handOver(_ request: HandoverRequest, by peer: Int32) async throws(ControlFailure) -> HandoverReport
    /// Takes over what has changed in configuration, zones and database; returns when it serves.
    ///
    /// - Throws: `invalid` when nothing can be taken over; all is as before then.
    func reload() async throws(ControlFailure) -> ReloadReport
    /// What is learned of round-trip times.
    ///
    /// - Throws: `notFound` when the configuration has no `rtt`.
    func roundTrips() async throws(ControlFailure) -> RoundTripsReport
    func metrics() async throws(ControlFailure) -> [MetricSample]
}
