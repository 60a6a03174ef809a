public import ControlFailures
public import ManagementTypes

/// The client of the control socket, for the command line and for a daemon that takes over from another.
///
/// Its calls block. Never call them from a task: they would hold a thread that tasks share.
public struct ControlClient: Sendable {
    /// The socket file.
    public let path: String
    /// How long one request may take, from the connection to the last byte of the response.
    public let timeoutSeconds: Double

    public init(path: String, timeoutSeconds: Double = 10) {
        self.path = path
        self.timeoutSeconds = timeoutSeconds
    }
}

// MARK: - The daemon

extension ControlClient {
    public func status() throws(ControlFailure) -> StatusReport { try get("/v1/status") }

    public func explain(_ request: ExplainRequest) throws(ControlFailure) -> ExplainReport {
        var parameters = [("name", request.name), ("type", request.type), ("from", request.from)]
        if let sender = request.sender { parameters.append(("sender", sender)) }
        return try get("/v1/explain", parameters)
    }

    /// Returns when the daemon serves the changes, so use a client with a long timeout.
    public func reload() throws(ControlFailure) -> ReloadReport { try ask("POST", "/v1/reload") }

    /// What ``reload()`` would change. Takes as long.
    public func previewReload() throws(ControlFailure) -> ReloadPreview { try ask("POST", "/v1/reload/preview") }

    public func detach() throws(ControlFailure) -> DetachReport { try ask("POST", "/v1/detach") }

    /// Returns when the program answers, so use a client with a long timeout.
    public func attach() throws(ControlFailure) -> AttachReport { try ask("POST", "/v1/attach") }

    /// Asks the daemon to change nothing more, so that a successor can take over.
    public func handOver(_ request: HandoverRequest) throws(ControlFailure) -> HandoverReport {
        try ask("POST", "/v1/handover", request)
    }

    public func roundTrips() throws(ControlFailure) -> RoundTripsReport { try get("/v1/rtt") }

    /// The metrics in the Prometheus text format.
    public func metrics() throws(ControlFailure) -> String {
        String(decoding: try send("GET", "/metrics"), as: UTF8.self)
    }
}

// MARK: - Nodes

extension ControlClient {
    public func nodes() throws(ControlFailure) -> [NodeReport] { try get("/v1/nodes") }

    public func setNode(_ id: String, to change: NodeStateChange) throws(ControlFailure) -> NodeReport {
        try ask("PUT", Self.node(id, "state"), change)
    }

    /// Changes many nodes together, or none of them.
    public func setNodes(_ change: NodesStateChange) throws(ControlFailure) -> NodesStateReport {
        try ask("PUT", "/v1/nodes/state", change)
    }

    /// Reports a node's state or load.
    public func state(_ statement: NodeStatement, of id: String) throws(ControlFailure) -> StatementReceipt {
        try ask("POST", Self.node(id, "report"), statement)
    }

    /// Changes of a node's state, the latest first.
    public func history(of id: String, limit: Int) throws(ControlFailure) -> [TransitionReport] {
        try get(Self.node(id, "history"), [("limit", String(limit))])
    }

    /// Changes of all nodes' states, the latest first.
    public func history(limit: Int) throws(ControlFailure) -> [TransitionReport] {
        try get("/v1/history", [("limit", String(limit))])
    }

    /// State changes of all nodes after the one numbered `sequence`.
    ///
    /// - Parameter waitSeconds: how long the daemon waits for the first one. The client's timeout must be longer.
    public func transitions(
        after sequence: UInt64?, waitSeconds: Int = 0
    ) throws(ControlFailure) -> TransitionsReport {
        var parameters = [("wait", String(waitSeconds))]
        if let sequence { parameters.append(("after", String(sequence))) }
        return try get("/v1/transitions", parameters)
    }

    private static func node(_ id: String, _ what: String) -> String {
        "/v1/nodes/\(PercentEncoding.encode(id))/\(what)"
    }
}

// MARK: - Changes

extension ControlClient {
    /// Plans what changed files say.
    public func plan(_ order: PlanOrder) throws(ControlFailure) -> ChangeReport {
        try ask("POST", "/v1/changes", order)
    }

    public func changes() throws(ControlFailure) -> [ChangeReport] { try get("/v1/changes") }

    public func change(_ number: UInt64) throws(ControlFailure) -> ChangeReport { try get("/v1/changes/\(number)") }

    public func apply(_ number: UInt64, _ order: ApplyOrder) throws(ControlFailure) -> ChangeReport {
        try ask("POST", "/v1/changes/\(number)/apply", order)
    }

    public func withdraw(_ number: UInt64) throws(ControlFailure) -> ChangeReport {
        try ask("DELETE", "/v1/changes/\(number)")
    }
}

// MARK: - Tables

extension ControlClient {
    public func inspectNames(_ request: InspectNamesRequest) throws(ControlFailure) -> NamesReport {
        var parameters = [("limit", String(request.limit))]
        if let under = request.under { parameters.append(("under", under)) }
        return try get("/v1/inspect/names", parameters)
    }

    public func inspectLocation(_ prefix: String) throws(ControlFailure) -> LocationReport {
        try get("/v1/inspect/location", [("prefix", prefix)])
    }

    public func inspectNodes() throws(ControlFailure) -> NodeTableReport { try get("/v1/inspect/nodes") }

    public func inspectCounters() throws(ControlFailure) -> CountersReport { try get("/v1/inspect/counters") }
}

// MARK: - Zones

extension ControlClient {
    public func rrsets(_ request: RRsetsRequest) throws(ControlFailure) -> RRsetsReport {
        var parameters = [("limit", String(request.limit))]
        if let name = request.name { parameters.append(("name", name)) }
        if request.changed { parameters.append(("changed", "true")) }
        return try get(Self.zone(request.zone, "rrsets"), parameters)
    }

    public func change(_ change: RRsetsChange, of zone: String) throws(ControlFailure) -> RRsetsReceipt {
        try ask("PATCH", Self.zone(zone, "rrsets"), change)
    }

    /// What the changes would change.
    public func preview(_ change: RRsetsChange, of zone: String) throws(ControlFailure) -> RRsetsPreview {
        try ask("POST", Self.zone(zone, "preview"), change)
    }

    /// Drops changes, so that the zone is as its file has it: those of some names, of a type, of both, or all.
    public func forgetChanges(
        of zone: String, names: [String] = [], type: String? = nil
    ) throws(ControlFailure) -> RRsetsReceipt {
        let parameters = names.map { ("name", $0) } + (type.map { [("type", $0)] } ?? [])
        return try ask("DELETE", Self.target(Self.zone(zone, "changes"), parameters))
    }

    /// Changes of a zone's records, the latest first.
    public func recordHistory(_ request: RecordHistoryRequest) throws(ControlFailure) -> [RecordChangeReport] {
        var parameters = [("limit", String(request.limit))]
        if let name = request.name { parameters.append(("name", name)) }
        if let type = request.type { parameters.append(("type", type)) }
        return try get(Self.zone(request.zone, "history"), parameters)
    }

    /// Makes the RRsets of a change what they were before it.
    public func undo(_ number: UInt64, of zone: String, author: String?) throws(ControlFailure) -> RRsetsReceipt {
        try ask("POST", Self.zone(zone, "changes/\(number)/undo"), UndoOrder(author: author))
    }

    /// What undoing a change would change.
    public func previewUndo(_ number: UInt64, of zone: String) throws(ControlFailure) -> RRsetsPreview {
        try ask("POST", Self.zone(zone, "changes/\(number)/preview"))
    }

    /// The zone as a zone file.
    public func export(_ zone: String) throws(ControlFailure) -> [UInt8] {
        try send("GET", Self.zone(zone, "export"))
    }

    /// The zone that a name is in.
    public func zone(of name: String) throws(ControlFailure) -> ZoneReport { try get("/v1/zone", [("of", name)]) }

    private static func zone(_ origin: String, _ what: String) -> String {
        "/v1/zones/\(PercentEncoding.encode(origin))/\(what)"
    }
}
