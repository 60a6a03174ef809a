import Glibc

/// The command line's side of the control interface. Blocking: never call it from a task.
///
/// It speaks just enough HTTP/1.1 by itself, one connection a request: async-http-client would triple the time of the build
/// and the size of the command.
public struct ControlClient: Sendable {
    /// Of the socket file.
    public let path: String
    /// For one request from its start to the last byte of the response.
    public let timeoutSeconds: Double

    public init(path: String, timeoutSeconds: Double = 10) {
        self.path = path
        self.timeoutSeconds = timeoutSeconds
    }

    public func status() throws(ControlFailure) -> StatusReport {
        try get("/v1/status")
    }

    public func explain(_ request: ExplainRequest) throws(ControlFailure) -> ExplainReport {
        var parameters = ["name": request.name, "type": request.type, "from": request.from]
        parameters["sender"] = request.sender
        return try get("/v1/explain", parameters)
    }

    public func nodes() throws(ControlFailure) -> [NodeReport] {
        try get("/v1/nodes")
    }

    public func setNode(_ id: String, to change: NodeStateChange) throws(ControlFailure) -> NodeReport {
        guard let body = try? ControlJSON.encode(change) else {
            throw ControlFailure(.internal, "no JSON of the change")
        }
        return try decode(send("PUT", "/v1/nodes/\(PercentCoding.encode(id))/state", body))
    }

    /// Says something of a node.
    public func state(_ statement: NodeStatement, of id: String) throws(ControlFailure) -> StatementReceipt {
        guard let body = try? ControlJSON.encode(statement) else {
            throw ControlFailure(.internal, "no JSON of the statement")
        }
        return try decode(send("POST", "/v1/nodes/\(PercentCoding.encode(id))/report", body))
    }

    /// Changes of a node's state, the latest first.
    public func history(of id: String, limit: Int) throws(ControlFailure) -> [TransitionReport] {
        try get("/v1/nodes/\(PercentCoding.encode(id))/history", ["limit": String(limit)])
    }

    /// Waits for changes after the one numbered `sequence`: give a client of its own a timeout beyond `waitSeconds`.
    public func transitions(
        after sequence: UInt64?, waitSeconds: Int = 0
    ) throws(ControlFailure) -> TransitionsReport {
        var parameters = ["wait": String(waitSeconds)]
        parameters["after"] = sequence.map { String($0) }
        return try get("/v1/transitions", parameters)
    }

    public func inspectNames(_ request: InspectNamesRequest) throws(ControlFailure) -> NamesReport {
        var parameters = ["limit": String(request.limit)]
        parameters["under"] = request.under
        return try get("/v1/inspect/names", parameters)
    }

    public func inspectLocation(_ prefix: String) throws(ControlFailure) -> LocationReport {
        try get("/v1/inspect/location", ["prefix": prefix])
    }

    public func inspectNodes() throws(ControlFailure) -> NodeTableReport {
        try get("/v1/inspect/nodes")
    }

    public func inspectCounters() throws(ControlFailure) -> CountersReport {
        try get("/v1/inspect/counters")
    }

    public func detach() throws(ControlFailure) -> DetachReport {
        try decode(send("POST", "/v1/detach"))
    }

    /// Asks the daemon to leave everything as it is for a successor.
    public func handOver(_ request: HandoverRequest) throws(ControlFailure) -> HandoverReport {
        guard let body = try? ControlJSON.encode(request) else {
            throw ControlFailure(.internal, "no JSON of the request")
        }
        return try decode(send("POST", "/v1/handover", body))
    }

    /// Waits until the daemon serves what has changed: give a client of its own a long timeout.
    public func reload() throws(ControlFailure) -> ReloadReport {
        try decode(send("POST", "/v1/reload"))
    }

    public func roundTrips() throws(ControlFailure) -> RoundTripsReport {
        try get("/v1/rtt")
    }

    /// The metrics as Prometheus text.
    public func metrics() throws(ControlFailure) -> String {
        String(decoding: try send("GET", "/metrics"), as: UTF8.self)
    }

    /// Sends one request.
    ///
    /// - Parameter target: path and query, percent-encoded.
    /// - Returns: the body of a response with a status below 400.
    /// - Throws: the daemon's failure; `unavailable` when it is not there, does not answer in time or answers nonsense.
    public func send(_ method: String, _ target: String, _ body: [UInt8] = []) throws(ControlFailure) -> [UInt8] {
        var connection = try ControlConnection(path: path, timeoutSeconds: timeoutSeconds)
        defer { connection.close() }
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        if !body.isEmpty { head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n" }
        try connection.write(Array((head + "\r\n").utf8) + body)
        let response = try connection.response()
        guard response.status >= 400 else { return response.body }
        guard let envelope = try? ControlJSON.decode(ControlFailure.Envelope.self, from: response.body) else {
            throw ControlFailure(.unavailable, "\(path): the daemon answered with HTTP status \(response.status)")
        }
        throw envelope.error
    }

    func get<Value: Decodable>(
        _ route: String, _ parameters: [String: String] = [:]
    ) throws(ControlFailure) -> Value {
        let query = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\(PercentCoding.encode($0.value))" }
        return try decode(send("GET", query.isEmpty ? route : "\(route)?\(query.joined(separator: "&"))"))
    }

    func decode<Value: Decodable>(_ body: [UInt8]) throws(ControlFailure) -> Value {
        do {
            return try ControlJSON.decode(Value.self, from: body)
        } catch {
            throw ControlFailure(
                .unavailable, "\(path): the daemon's answer cannot be read: \(error)",
                remedy: "are nearcast and nearcastd of the same version?")
        }
    }
}
