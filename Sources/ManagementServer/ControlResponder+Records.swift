import ControlFailures
import Hummingbird
import ManagementTypes

extension ControlResponder {
    /// Zones and their records.
    ///
    /// - Parameter rest: of the path, behind `/v1/zones`.
    func zones(_ rest: [String], _ request: Request) async throws -> Response {
        guard rest.count == 2 else { throw Self.noRoute(request) }
        let zone = rest[0]
        switch rest[1] {
        case "rrsets" where request.method == .patch:
            try Self.requireParameters([], request)
            return try Self.json(
                await handler.change(await body(RRsetsChange.self, request, example: Self.example), of: zone))
        case "rrsets":
            guard request.method == .get else {
                throw Self.notAllowed(request, "use GET to look at records, PATCH to change them")
            }
            try Self.requireParameters(["name", "changed", "limit"], request)
            let limit = try Self.number("limit", in: 1...100_000, default: 1_000, request)
            let wanted = RRsetsRequest(
                zone: zone, name: Self.optional("name", request), changed: try Self.flag("changed", request),
                limit: limit)
            return try Self.json(await handler.rrsets(wanted))
        case "export":
            try Self.require(.get, request)
            return Self.response(.ok, "text/dns", try await handler.export(zone))
        case "changes":
            try Self.require(.delete, request)
            try Self.requireParameters(["name", "type"], request)
            let names = request.uri.queryParameters[values: "name"].map(String.init)
            return try Self.json(
                await handler.forgetChanges(of: zone, names: names, type: Self.optional("type", request)))
        default: throw Self.noRoute(request)
        }
    }

    private static let example =
        "{\"changes\": [{\"name\": \"www.example.com\", \"type\": \"A\", \"ttl\": 300, \"records\": [\"192.0.2.1\"]}]}"

    private static func flag(_ name: String, _ request: Request) throws(ControlFailure) -> Bool {
        switch optional(name, request) {
        case nil, "false": return false
        case "true": return true
        case let text?: throw ControlFailure(.invalid, "\(name) is \(text)", remedy: "give true or false")
        }
    }

    private static func optional(_ name: String, _ request: Request) -> String? {
        request.uri.queryParameters[Substring(name)].map(String.init)
    }
}
