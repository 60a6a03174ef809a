import Access
import ControlFailures
import Health
import ManagementTypes

extension ControlCenter {
    func state(
        _ statement: NodeStatement, of id: String, as speaker: Speaker
    ) async throws(ControlFailure) -> StatementReceipt {
        let (authority, name) = try speaker.voice(for: id, statement)
        let author = [name, statement.author, statement.reason].compactMap(\.self).joined(separator: ": ")
        return try await (try parts()).registry.take(
            statement, of: id, as: authority, by: author, paced: speaker.token)
    }
}

extension Speaker {
    /// Names the token; `nil`: none is needed.
    fileprivate var token: String? { self == .local ? nil : "\(self)" }

    /// As what a statement counts, and who makes it.
    ///
    /// - Throws: `forbidden` when the speaker may not say that.
    fileprivate func voice(
        for id: String, _ statement: NodeStatement
    ) throws(ControlFailure) -> (Authority, String?) {
        let asked = statement.authority
        let (voice, name): (NodeStatement.Voice, String?)
        switch self {
        case .local: (voice, name) = (asked ?? .report, statement.author == nil ? "the control socket" : nil)
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

extension ControlCenter {
    func take(
        _ verdicts: ObserverVerdicts, from observer: String, as speaker: Speaker
    ) async throws(ControlFailure) -> VerdictsReceipt {
        guard speaker == .local || speaker == .observer(observer) else {
            throw ControlFailure(
                .forbidden, "this token does not speak for observer \(observer)", remedy: "use that observer's")
        }
        return try await (try parts()).registry.take(verdicts, from: observer)
    }
}
