import Access
import ControlFailures
import ManagementTypes

/// Nodes: their states, their reports, and what observers see of them.
extension Route {
    static let nodes: [Route] = [
        .json(.get, "/v1/nodes", "listNodes", needs: .read, "all nodes, in natural order of their ids") {
            try await $0.handler.nodes()
        },
        .json(
            .put, "/v1/nodes/state", "setNodes", needs: .operate, "changes many nodes together, or none of them",
            body: .json("{\"pool\": \"web\", \"change\": {\"state\": \"drained\"}}")
        ) { call, change in try await call.handler.setNodes(change, by: call.caller) },
        .json(
            .put, "/v1/nodes/{id}/state", "setNode", needs: .operate, "changes the state of a node",
            body: .json("{\"state\": \"down\"}"), example: "/v1/nodes/fra1/state"
        ) { call, change in
            try await call.handler.setNode(call.path("id"), to: change, by: call.caller)
        },
        .json(
            .get, "/v1/nodes/{id}/history", "getNodeHistory", needs: .read,
            "changes of a node's state, the latest first",
            query: [.number("limit", 1...10_000, default: 100, "the most changes that are listed")],
            example: "/v1/nodes/fra1/history?limit=20"
        ) { call in try await call.handler.history(of: call.path("id"), limit: call.query.number("limit")) },
        .json(
            .get, "/v1/history", "listHistory", needs: .read, "changes of the states of all nodes, the latest first",
            query: [.number("limit", 1...10_000, default: 100, "the most changes that are listed")],
            example: "/v1/history?limit=20"
        ) { call in try await call.handler.history(of: nil, limit: call.query.number("limit")) },
        .json(
            .get, "/v1/transitions", "listTransitions", needs: .read, "changes of all nodes after a number",
            query: [
                .number("after", 0...Int.max, "the number; without it no changes, but where to ask from"),
                .number("wait", 0...60, default: 0, "seconds to wait for the first one"),
            ], example: "/v1/transitions?after=4711&wait=1"
        ) { call in try await transitions(call) },
        .json(
            .post, "/v1/nodes/{id}/report", "reportNode", needs: .report, "takes a report of a node's state and load",
            body: .statement, example: "/v1/nodes/fra1/report"
        ) { call, read in
            var receipt = try await call.handler.state(read.statement, of: call.path("id"), as: call.caller)
            receipt.ignored = (receipt.ignored ?? []) + read.ignored
            return receipt
        },
        .json(
            .post, "/v1/observers/{id}/verdicts", "reportVerdicts", needs: .report,
            "takes what another vantage point sees of all nodes",
            body: .verdicts, example: "/v1/observers/ams1/verdicts"
        ) { call, verdicts in
            try await call.handler.take(verdicts, from: call.path("id"), as: call.caller)
        },
    ]

    /// Limits requests that wait, so that others find a place.
    private static func transitions(_ call: Call) async throws -> TransitionsReport {
        let after = call.query.givenNumber("after").map { UInt64($0) }
        let wait = try call.query.number("wait")
        guard wait > 0, let places = call.places else {
            return try await call.handler.transitions(after: after, waitSeconds: 0)
        }
        guard places.take(.waiting) else {
            throw ControlFailure(
                .unavailable, "too many connections wait for changes",
                remedy: "close some of them, or ask without wait")
        }
        defer { places.release(.waiting) }
        return try await call.handler.transitions(after: after, waitSeconds: wait)
    }
}

/// A report, and the names of its fields that are unknown.
private struct ReadStatement: Sendable {
    let statement: NodeStatement
    let ignored: [String]
}

extension BodyFormat<ReadStatement> {
    fileprivate static let statement = BodyFormat(
        body: .init(
            type: NodeStatement.self, limit: NodeStatement.maximumBytes, example: "{\"load\": 0.4, \"capacity\": 1}")
    ) { bytes throws(ControlFailure) in
        let (statement, ignored) = try NodeStatement.read(bytes)
        return ReadStatement(statement: statement, ignored: ignored)
    }
}

extension BodyFormat<ObserverVerdicts> {
    fileprivate static let verdicts = BodyFormat(
        body: .init(
            type: ObserverVerdicts.self, limit: ObserverVerdicts.maximumBytes,
            example: "{\"verdicts\": {\"fra1\": \"up\", \"nyc1\": \"down\"}}"), read: ObserverVerdicts.read)
}
