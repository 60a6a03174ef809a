package import Access
package import ControlFailures
import ControlPlane
import Health
package import ManagementTypes

extension Operations {
    package func state(
        _ statement: NodeStatement, of id: String, as caller: Caller
    ) async throws(ControlFailure) -> StatementReceipt {
        let (authority, name) = try caller.voice(for: id, statement)
        let author = Caller.author(name, remarks: [statement.author, statement.reason])
        let outcome = try await (try parts()).nodes.take(
            NodeStatementInput(statement), of: id, as: authority, by: author, paced: caller.token)
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

extension Operations {
    package func take(
        _ verdicts: ObserverVerdicts, from observer: String, as caller: Caller
    ) async throws(ControlFailure) -> VerdictsReceipt {
        switch caller {
        case .account, .observer(observer): break
        default:
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
