import Access
import ControlFailures
import Health
import ManagementTypes

extension ControlCenter {
    func state(
        _ statement: NodeStatement, of id: String, as caller: Caller
    ) async throws(ControlFailure) -> StatementReceipt {
        let (authority, name) = try caller.voice(for: id, statement)
        let author = Caller.author(name, remarks: [statement.author, statement.reason])
        return try await (try parts()).registry.take(
            statement, of: id, as: authority, by: author, paced: caller.token)
    }

    func take(
        _ verdicts: ObserverVerdicts, from observer: String, as caller: Caller
    ) async throws(ControlFailure) -> VerdictsReceipt {
        switch caller {
        case .account, .observer(observer): break
        default:
            throw ControlFailure(
                .forbidden, "this token does not speak for observer \(observer)", remedy: "use that observer's")
        }
        return try await (try parts()).registry.take(verdicts, from: observer)
    }
}

extension Caller {
    /// Names the token; `nil`: none is needed.
    fileprivate var token: String? {
        if case .account = self { nil } else { description }
    }

    /// The authority that a statement has, and the name of who makes it.
    ///
    /// - Throws: `forbidden` if the caller may not make it.
    fileprivate func voice(
        for id: String, _ statement: NodeStatement
    ) throws(ControlFailure) -> (Authority, String) {
        let asked = statement.authority
        let (voice, name): (NodeStatement.Voice, String)
        switch self {
        case .account: (voice, name) = (asked ?? .report, description)
        case .node(let own):
            guard own == nil || own == id else {
                throw ControlFailure(
                    .forbidden, "this token speaks for \(own ?? "") only", remedy: "report \(own ?? "") with it")
            }
            (voice, name) = (.report, "node \(id)")
        case .agent(let agent): (voice, name) = (.external, agent)
        case .automation(let program): (voice, name) = (.automation, program)
        case .observer:
            throw ControlFailure(
                .forbidden, "this token is an observer's", remedy: "send verdicts with it, to /v1/observers/ID/verdicts"
            )
        }
        if let asked, asked != voice {
            throw ControlFailure(
                .forbidden, "this token does not speak as \(asked.rawValue)", remedy: "leave authority out")
        }
        switch voice {
        case .report: return (.report, name)
        case .external: return (.external, name)
        case .automation: return (.automation, name)
        }
    }
}
