import Access
import ManagementTypes
import Telemetry

/// The daemon itself: what it serves, and what commands it takes.
extension Route {
    static let daemon: [Route] = [
        .json(.get, "/v1/status", "getStatus", needs: .read, "what the daemon is and serves") { call in
            try await call.handler.status()
        },
        .json(
            .get, "/v1/explain", "explain", needs: .read, "how one client's query would be answered, and why",
            query: [
                .text("name", "a domain name", isRequired: true),
                .text("type", "a record type; A unless given"),
                .text("from", "the client's address, or an ECS prefix", isRequired: true),
                .text("sender", "the address that sends the query, where `from` is a prefix"),
            ], example: "/v1/explain?name=www.example.com&type=A&from=192.0.2.0/24"
        ) { call in
            try await call.handler.explain(
                ExplainRequest(
                    name: call.query.required("name"), type: call.query.text("type") ?? "A",
                    from: call.query.required("from"), sender: call.query.text("sender")))
        },
        .json(.post, "/v1/reload", "reload", needs: .administer, "loads changed files; answers when they are served") {
            try await $0.handler.reload(by: $0.caller)
        },
        .json(
            .post, "/v1/reload/preview", "previewReload", needs: .administer,
            "reads changed files and says what a reload would change; changes nothing"
        ) { try await $0.handler.previewReload(by: $0.caller) },
        .json(
            .post, "/v1/detach", "detach", needs: .administer,
            "detaches the program from every interface and removes its pins"
        ) { try await $0.handler.detach(by: $0.caller) },
        .json(
            .post, "/v1/attach", "attach", needs: .administer,
            "puts the program back on the interfaces, after a detach or where the kernel had refused it"
        ) { try await $0.handler.attach(by: $0.caller) },
        .json(
            .post, "/v1/handover", "handOver", needs: .administer,
            "hands over to a successor: changes wait until it has taken over",
            body: .json("{\"pid\": 4711}")
        ) { call, request in try await call.handler.handOver(request, by: call.caller) },
        .json(.get, "/v1/rtt", "getRoundTrips", needs: .read, "round-trip times that this daemon learns") {
            try await $0.handler.roundTrips()
        },
        .text(
            .get, "/metrics", "getMetrics", needs: .read, "metrics in the Prometheus text format",
            mediaType: PrometheusText.mediaType
        ) { call in
            let samples = try await call.handler.metrics() + (call.places?.metrics ?? [])
            return Array(PrometheusText.render(samples).utf8)
        },
    ]

    /// The tables that packets are answered from.
    static let tables: [Route] = [
        .json(
            .get, "/v1/inspect/names", "inspectNames", needs: .read, "names in the fast path's table",
            query: [
                .text("under", "only this name and those below it"),
                .number("limit", 1...10_000, default: 100, "the most names that are listed"),
            ], example: "/v1/inspect/names?under=example.com&limit=10"
        ) { call in
            try await call.handler.inspectNames(
                InspectNamesRequest(under: call.query.text("under"), limit: call.query.number("limit")))
        },
        .json(
            .get, "/v1/inspect/location", "inspectLocation", needs: .read,
            "the entry of a prefix in the location table",
            query: [.text("prefix", "an address or a prefix", isRequired: true)],
            example: "/v1/inspect/location?prefix=192.0.2.0/24"
        ) { call in try await call.handler.inspectLocation(call.query.required("prefix")) },
        .json(.get, "/v1/inspect/nodes", "inspectNodes", needs: .read, "the node words that packets read") {
            try await $0.handler.inspectNodes()
        },
        .json(.get, "/v1/inspect/counters", "inspectCounters", needs: .read, "packets by verdict, for each path") {
            try await $0.handler.inspectCounters()
        },
    ]
}
