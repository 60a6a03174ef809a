import Access
import ControlFailures
import ManagementTypes
import VisibleText

/// Changes that are planned before they are applied.
extension Route {
    static let changes: [Route] = [
        .json(
            .post, "/v1/changes", "planChange", needs: .edit,
            "plans what changed files say: what differs, and which clients move; changes nothing",
            body: .json("{\"reason\": \"new site\"}")
        ) { call, order in try await call.handler.plan(order, by: call.caller) },
        .json(.get, "/v1/changes", "listChanges", needs: .read, "changes of this daemon, the latest first") {
            try await $0.handler.changes()
        },
        .json(
            .get, "/v1/changes/{change}", "getChange", needs: .read, "a change with its plan",
            example: "/v1/changes/4711"
        ) { try await $0.handler.change(number($0)) },
        .json(
            .post, "/v1/changes/{change}/apply", "applyChange", needs: .administer,
            "serves what was planned, or nothing if that is no longer what would be served",
            body: .json("{\"accept\": [\"clients_moved\"]}"), example: "/v1/changes/4711/apply"
        ) { call, order in try await call.handler.apply(number(call), order, by: call.caller) },
        .json(
            .delete, "/v1/changes/{change}", "withdrawChange", needs: .edit,
            "closes a change that is not to be applied",
            example: "/v1/changes/4711"
        ) { try await $0.handler.withdraw(number($0), by: $0.caller) },
    ]

    private static func number(_ call: Call) throws(ControlFailure) -> UInt64 {
        let text = try call.path("change")
        guard let number = UInt64(text) else {
            throw ControlFailure(
                .invalid, "\"\(VisibleText.cut(text))\" is not the number of a change",
                remedy: "nearcast changes shows them")
        }
        return number
    }
}
