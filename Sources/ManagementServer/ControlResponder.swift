import Access
import ControlFailures
import Hummingbird
import ManagementTypes
import NIOCore
import Telemetry
import VisibleText

/// Maps requests to the handler and its results to HTTP. Every error is a ``ControlFailure`` in JSON.
struct ControlResponder: HTTPResponder {
    typealias Context = SocketRequestContext

    /// The largest body accepted, in bytes.
    static let maximumBody = 1 << 20
    private static let defaultNames = 100
    private static let maximumNames = 10_000

    let handler: any ControlHandling
    let places: ControlPlaces

    func respond(to request: Request, context: Context) async throws -> Response {
        do {
            return try await route(request, context)
        } catch let failure as ControlFailure {
            return Self.response(failure)
        } catch {
            return Self.response(ControlFailure(.internal, "\(error)"))
        }
    }

    private func route(_ request: Request, _ context: Context) async throws -> Response {
        let segments = request.uri.path.split(separator: "/").map { PercentCoding.decode($0) ?? String($0) }
        switch segments {
        case ["v1", "status"]:
            try Self.require(.get, request)
            return try Self.json(await handler.status())
        case ["v1", "explain"]:
            try Self.require(.get, request)
            return try Self.json(await handler.explain(Self.explainRequest(request)))
        case ["v1", "nodes"]:
            try Self.require(.get, request)
            return try Self.json(await handler.nodes())
        case ["v1", "nodes", "state"]:
            try Self.require(.put, request)
            return try Self.json(await handler.setNodes(await body(NodesStateChange.self, request)))
        case let path where path.count == 4 && path[..<2] == ["v1", "nodes"] && path[3] == "state":
            try Self.require(.put, request)
            return try Self.json(await handler.setNode(path[2], to: await body(NodeStateChange.self, request)))
        case let path where path.count == 4 && path[..<2] == ["v1", "nodes"] && path[3] == "report":
            try Self.require(.post, request)
            let bytes = try await bytes(request, limit: NodeStatement.maximumBytes)
            let (statement, ignored) = try NodeStatement.read(bytes)
            var receipt = try await handler.state(statement, of: path[2], as: .local)
            receipt.ignored = (receipt.ignored ?? []) + ignored
            return try Self.json(receipt)
        case let path where path.count == 4 && path[..<2] == ["v1", "observers"] && path[3] == "verdicts":
            try Self.require(.post, request)
            let verdicts = try ObserverVerdicts.read(
                await bytes(request, limit: ObserverVerdicts.maximumBytes))
            return try Self.json(await handler.take(verdicts, from: path[2], as: .local))
        case let path where path.count == 4 && path[..<2] == ["v1", "nodes"] && path[3] == "history":
            try Self.require(.get, request)
            let limit = try Self.number("limit", in: 1...10_000, default: 100, request)
            return try Self.json(await handler.history(of: path[2], limit: limit))
        case ["v1", "transitions"]:
            try Self.require(.get, request)
            let after = try Self.number("after", in: -1...Int.max, default: -1, request)
            let wait = try Self.number("wait", in: 0...60, default: 0, request)
            return try Self.json(await transitions(after: after < 0 ? nil : UInt64(after), waitSeconds: wait))
        case let path where path.count == 3 && path[..<2] == ["v1", "inspect"]:
            try Self.require(.get, request)
            return try await inspect(path[2], request)
        case ["v1", "detach"]:
            try Self.require(.post, request)
            return try Self.json(await handler.detach())
        case ["v1", "handover"]:
            try Self.require(.post, request)
            let wanted = try await body(HandoverRequest.self, request, example: "{\"pid\": 4711}")
            return try Self.json(await handler.handOver(wanted, by: try await context.peerProcess()))
        case ["v1", "reload"]:
            try Self.require(.post, request)
            return try Self.json(await handler.reload())
        case ["v1", "zone"]:
            try Self.require(.get, request)
            return try Self.json(await handler.zone(of: Self.parameter("of", request)))
        case let path where path.count > 2 && path[..<2] == ["v1", "zones"]:
            return try await zones(Array(path[2...]), request)
        case ["v1", "rtt"]:
            try Self.require(.get, request)
            return try Self.json(await handler.roundTrips())
        case ["metrics"]:
            try Self.require(.get, request)
            return Self.response(
                .ok, PrometheusText.mediaType,
                Array(PrometheusText.render(try await handler.metrics() + places.metrics).utf8))
        default:
            throw Self.noRoute(request)
        }
    }

    /// Many that wait leave places for those that do not.
    private func transitions(after: UInt64?, waitSeconds: Int) async throws -> TransitionsReport {
        guard waitSeconds > 0 else { return try await handler.transitions(after: after, waitSeconds: 0) }
        guard places.take(.waiting) else {
            throw ControlFailure(
                .unavailable, "too many connections wait for changes already",
                remedy: "end some of them, or ask without wait")
        }
        defer { places.release(.waiting) }
        return try await handler.transitions(after: after, waitSeconds: waitSeconds)
    }

    private func inspect(_ table: String, _ request: Request) async throws -> Response {
        switch table {
        case "names":
            return try Self.json(await handler.inspectNames(Self.namesRequest(request)))
        case "location":
            return try Self.json(await handler.inspectLocation(Self.parameter("prefix", request)))
        case "nodes":
            return try Self.json(await handler.inspectNodes())
        case "counters":
            return try Self.json(await handler.inspectCounters())
        default:
            throw ControlFailure(
                .notFound, "no table \(VisibleText.quoted(table)) to inspect",
                remedy: "names, location, nodes and counters can be inspected")
        }
    }
}

// MARK: - What a request asks

extension ControlResponder {
    static func require(_ method: HTTPRequest.Method, _ request: Request) throws(ControlFailure) {
        guard request.method == method else { throw notAllowed(request, "use \(method)") }
    }

    static func notAllowed(_ request: Request, _ remedy: String) -> ControlFailure {
        ControlFailure(
            .methodNotAllowed,
            "\(VisibleText.cut("\(request.method)")) is not possible at \(VisibleText.cut(request.uri.path))",
            remedy: remedy)
    }

    /// Refuses parameters that are not known: one that was mistyped must not be taken for one that was left out.
    static func requireParameters(_ known: [String], _ request: Request) throws(ControlFailure) {
        let keys = request.uri.queryParameters.map { String($0.key) }
        guard let other = keys.filter({ !known.contains($0) }).min() else { return }
        throw ControlFailure(
            .invalid, "there is no parameter \(VisibleText.quoted(other))",
            remedy: known.isEmpty ? "leave it out" : "the parameters are \(known.joined(separator: ", "))")
    }

    static func noRoute(_ request: Request) -> ControlFailure {
        ControlFailure(
            .notFound, "nothing at \(VisibleText.cut(request.uri.path))",
            remedy:
                "/v1/status, /v1/explain, /v1/nodes, /v1/observers, /v1/transitions, /v1/inspect/…, /v1/detach, /v1/reload, /v1/rtt, "
                + "/v1/zone, /v1/zones/… and /metrics "
                + "exist")
    }

    static func parameter(_ name: String, _ request: Request) throws(ControlFailure) -> String {
        guard let value = request.uri.queryParameters[Substring(name)], !value.isEmpty else {
            throw ControlFailure(.invalid, "the parameter \(name) is missing", remedy: "add ?\(name)=… to the address")
        }
        return String(value)
    }

    private static func explainRequest(_ request: Request) throws(ControlFailure) -> ExplainRequest {
        ExplainRequest(
            name: try parameter("name", request), type: request.uri.queryParameters["type"].map(String.init) ?? "A",
            from: try parameter("from", request), sender: request.uri.queryParameters["sender"].map(String.init))
    }

    private static func namesRequest(_ request: Request) throws(ControlFailure) -> InspectNamesRequest {
        let limit = try number("limit", in: 1...maximumNames, default: defaultNames, request)
        return InspectNamesRequest(under: request.uri.queryParameters["under"].map(String.init), limit: limit)
    }

    static func number(
        _ name: String, in range: ClosedRange<Int>, default fallback: Int, _ request: Request
    ) throws(ControlFailure) -> Int {
        guard let text = request.uri.queryParameters[Substring(name)] else { return fallback }
        guard let value = Int(text), range.contains(value) else {
            throw ControlFailure(
                .invalid, "\(name) is \(VisibleText.cut(text))",
                remedy: "give a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// A request's body. Few large ones are read at the same time: what they hold together is bounded.
    private func bytes(_ request: Request, limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        var isLarge = false
        defer { if isLarge { places.release(.largeBody) } }
        for try await part in request.body {
            guard bytes.count + part.readableBytes <= limit else {
                throw ControlFailure(
                    .tooLarge, "the body has more than \(limit) bytes", remedy: "send it in several requests")
            }
            if !isLarge, bytes.count + part.readableBytes > ControlServer.Limits.largeBody {
                isLarge = places.take(.largeBody)
                guard isLarge else {
                    throw ControlFailure(
                        .unavailable, "\(ControlServer.Limits.largeBodies) large requests are being read already",
                        remedy: "try again in a moment")
                }
            }
            bytes += part.readableBytesView
        }
        return bytes
    }

    func body<Value: Decodable>(
        _ type: Value.Type, _ request: Request, example: String = "{\"state\": \"down\"}"
    ) async throws -> Value {
        try ControlJSON.body(type, from: await bytes(request, limit: Self.maximumBody), example: example)
    }
}

// MARK: - Responses

extension ControlResponder {
    static func json(_ value: some Encodable) throws -> Response {
        response(.ok, "application/json", try ControlJSON.encode(value))
    }

    static func response(_ failure: ControlFailure) -> Response {
        let body = (try? ControlJSON.encode(FailureReport(error: failure))) ?? []
        return response(.init(code: failure.code.httpStatus), "application/json", body)
    }

    static func response(_ status: HTTPResponse.Status, _ type: String, _ body: [UInt8]) -> Response {
        Response(
            status: status, headers: [.contentType: type, .contentLength: String(body.count)],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}
