package import ControlAPI
import ControlPlane
import Health

extension Operations {
    package func state(
        _ statement: NodeStatement, of id: String, as speaker: Speaker
    ) async throws(ControlFailure) -> StatementReceipt {
        let (authority, name) = try speaker.voice(for: id, statement)
        let author = [name, statement.author, statement.reason].compactMap(\.self).joined(separator: ": ")
        let outcome = try await (try parts()).nodes.take(
            NodeStatementInput(statement), of: id, as: authority, by: author, paced: speaker.token)
        return StatementReceipt(
            node: id, state: NodeState(outcome.state), authority: "\(outcome.authority ?? .checks)",
            validSeconds: outcome.validSeconds,
            ignored: NodeStatement.told(outcome.unknownPeers.map { "peers.\($0)" }))
    }
}

extension NodeStatementInput {
    fileprivate init(_ statement: NodeStatement) {
        let state: State? =
            switch statement.state {
            case .up: .health(.up)
            case .degraded: .health(.degraded)
            case .down: .health(.down)
            case .drained: .health(.drained)
            case .auto: .auto
            case nil: nil
            }
        self.init(
            load: statement.load, capacity: statement.capacity, connections: statement.connections,
            peers: statement.peers, state: state, share: statement.share, forSeconds: statement.forSeconds,
            reason: statement.reason, sequence: statement.sequence, force: statement.force == true)
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

extension Operations {
    package func take(
        _ verdicts: ObserverVerdicts, from observer: String, as speaker: Speaker
    ) async throws(ControlFailure) -> VerdictsReceipt {
        guard speaker == .local || speaker == .observer(observer) else {
            throw ControlFailure(
                .forbidden, "this token does not speak for observer \(observer)", remedy: "use that observer's")
        }
        let taken = try await (try parts()).nodes.take(
            verdicts.verdicts.mapValues { $0 == .up ? .up : .down }, from: observer)
        return VerdictsReceipt(
            observer: observer, counted: taken.counted, isHeard: taken.isHeard,
            validSeconds: Int(taken.freshness / 1_000), ignored: NodeStatement.told(taken.ignored))
    }
}
