import Access
import ControlFailures
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
        .json(
            .get, "/v1/zones/{zone}/history", "getRecordHistory", needs: .read,
            "changes of a zone's records, the latest first",
            query: [
                .text("name", "only those of this name"), .text("type", "only those of this type"),
                .number("limit", 1...10_000, default: 100, "the most changes that are listed"),
            ], example: "/v1/zones/example.com/history?name=www.example.com&limit=10"
        ) { call in
            try await call.handler.recordHistory(
                RecordHistoryRequest(
                    zone: call.path("zone"), name: call.query.text("name"), type: call.query.text("type"),
                    limit: call.query.number("limit")))
        },
        .json(
            .post, "/v1/zones/{zone}/changes/{change}/undo", "undoChange", needs: .edit,
            "makes the RRsets of a change what they were before it, unless they are no longer as it left them",
            body: .json("{\"author\": \"anna\"}"), example: "/v1/zones/example.com/changes/4711/undo"
        ) { call, order in
            try await call.handler.undo(changeNumber(call), of: call.path("zone"), order, by: call.caller)
        },
        .json(
            .post, "/v1/zones/{zone}/changes/{change}/preview", "previewUndo", needs: .edit,
            "says what undoing a change would change; changes nothing",
            example: "/v1/zones/example.com/changes/4711/preview"
        ) { call in try await call.handler.previewUndo(changeNumber(call), of: call.path("zone")) },
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

    /// - Throws: `invalid` for what is not the number of a change.
    private static func changeNumber(_ call: Call) throws(ControlFailure) -> UInt64 {
        let text = try call.path("change")
        guard let number = UInt64(text), number <= UInt64(Int64.max) else {
            throw ControlFailure(
                .invalid, "\"\(text)\" is not the number of a change",
                remedy: "nearcast record history shows the numbers")
        }
        return number
    }
}
