import Access
import ManagementTypes

/// Zones and their records.
extension Route {
    static let zones: [Route] = [
        .json(
            .get, "/v1/zone", "findZone", needs: .read, "the zone that a name is in",
            query: [.text("of", "a domain name", isRequired: true)], example: "/v1/zone?of=www.example.com"
        ) { call in try await call.handler.zone(of: call.query.required("of")) },
        .json(
            .get, "/v1/zones/{zone}/rrsets", "listRRsets", needs: .read, "records of a zone",
            query: [
                .text("name", "only those of this name"),
                .flag("changed", "only those that were changed since the file, also those that are gone"),
                .number("limit", 1...100_000, default: 1_000, "the most RRsets that are listed"),
            ], example: "/v1/zones/example.com/rrsets?name=www.example.com&limit=10"
        ) { call in
            try await call.handler.rrsets(
                RRsetsRequest(
                    zone: call.path("zone"), name: call.query.text("name"), changed: call.query.flag("changed"),
                    limit: call.query.number("limit")))
        },
        .json(
            .patch, "/v1/zones/{zone}/rrsets", "changeRRsets", needs: .edit,
            "makes changes of a zone together, or none; answers when packets see them",
            body: .json(
                "{\"changes\": [{\"name\": \"www.example.com\", \"type\": \"A\", \"ttl\": 300, "
                    + "\"records\": [\"192.0.2.1\"]}]}"), example: "/v1/zones/example.com/rrsets"
        ) { call, change in
            try await call.handler.change(change, of: call.path("zone"), by: call.caller)
        },
        .json(
            .post, "/v1/zones/{zone}/preview", "previewRRsets", needs: .edit,
            "says what changes of a zone would change; changes nothing",
            body: .json(
                "{\"changes\": [{\"name\": \"www.example.com\", \"type\": \"A\", \"ttl\": 300, "
                    + "\"records\": [\"192.0.2.1\"]}]}"), example: "/v1/zones/example.com/preview"
        ) { call, change in try await call.handler.preview(change, of: call.path("zone")) },
        .text(
            .get, "/v1/zones/{zone}/export", "exportZone", needs: .read, "a zone as a zone file", mediaType: "text/dns",
            example: "/v1/zones/example.com/export"
        ) { call in try await call.handler.export(call.path("zone")) },
        .json(
            .delete, "/v1/zones/{zone}/changes", "dropChanges", needs: .edit,
            "drops changes, so that the zone is as its file has it",
            query: [
                .texts("name", "only those of this name; may be given several times"),
                .text("type", "only those of this type"),
            ], example: "/v1/zones/example.com/changes?name=www.example.com&type=A"
        ) { call in
            try await call.handler.forgetChanges(
                of: call.path("zone"), names: call.query.texts("name"), type: call.query.text("type"),
                by: call.caller)
        },
    ]
}
