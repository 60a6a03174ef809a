public import Access
public import ControlFailures
public import ManagementTypes

/// The operations of the API, which the daemon implements. Many requests call them concurrently.
public protocol ControlHandling: ReportHandling, RecordHandling, ChangeHandling, MetricsHandling {
    func status() async throws(ControlFailure) -> StatusReport
    /// - Throws: `invalid` for a malformed name, type or prefix, `notFound` for a name that is not served.
    func explain(_ request: ExplainRequest) async throws(ControlFailure) -> ExplainReport
    /// All nodes, in natural order of their ids.
    func nodes() async throws(ControlFailure) -> [NodeReport]
    /// - Throws: `notFound` for an unknown node.
    func setNode(
        _ id: String, to change: NodeStateChange, by caller: Caller
    ) async throws(ControlFailure) -> NodeReport
    /// Changes many nodes together, or none of them.
    ///
    /// - Throws: `notFound` for an unknown node or pool.
    func setNodes(_ change: NodesStateChange, by caller: Caller) async throws(ControlFailure) -> NodesStateReport
    /// State changes of a node, the latest first.
    func history(of id: String?, limit: Int) async throws(ControlFailure) -> [TransitionReport]
    /// State changes of all nodes after the one numbered `sequence`; without it none, but the latest number. If there is
    /// none yet, waits up to `waitSeconds` for the first.
    func transitions(after sequence: UInt64?, waitSeconds: Int) async throws(ControlFailure) -> TransitionsReport
    func inspectNames(_ request: InspectNamesRequest) async throws(ControlFailure) -> NamesReport
    /// - Parameter prefix: an address or prefix as text.
    func inspectLocation(_ prefix: String) async throws(ControlFailure) -> LocationReport
    func inspectNodes() async throws(ControlFailure) -> NodeTableReport
    func inspectCounters() async throws(ControlFailure) -> CountersReport
    /// Detaches the program from every interface and removes its pins; user space answers from then on.
    func detach(by caller: Caller) async throws(ControlFailure) -> DetachReport
    /// Puts the program back on the interfaces; returns when it answers.
    func attach(by caller: Caller) async throws(ControlFailure) -> AttachReport
    /// Stops changing states, tables and pins, and goes on answering, until SIGTERM. If the successor's process ends
    /// first, or does not ask again in time, the daemon resumes.
    ///
    /// - Parameter caller: the process that asks.
    /// - Throws: `forbidden` if it asks for another process, `conflict` while another successor takes over.
    func handOver(_ request: HandoverRequest, by caller: Caller) async throws(ControlFailure) -> HandoverReport
    /// Loads what has changed in configuration, zones and database; returns when it is served.
    ///
    /// - Throws: `invalid` if nothing can be loaded; then nothing changes.
    func reload(by caller: Caller) async throws(ControlFailure) -> ReloadReport
    /// Reads what ``reload(by:)`` would, and says what it would change. Changes nothing.
    ///
    /// - Throws: what a reload would throw.
    func previewReload(by caller: Caller) async throws(ControlFailure) -> ReloadPreview
    /// Round-trip times that this daemon learns.
    ///
    /// - Throws: `notFound` if the configuration has no `rtt`.
    func roundTrips() async throws(ControlFailure) -> RoundTripsReport
}
