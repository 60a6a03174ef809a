import Access
import ControlFailures
import ControlPlane
import Health
import ManagementTypes

extension NodeStatementInput {
    init(_ statement: NodeStatement) {
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
    /// A name for the caller's token; `nil`: it needs none.
    var token: String? {
        if case .account = self { nil } else { description }
    }

    /// The authority of a report by this caller, and the name that is recorded with it.
    ///
    /// - Throws: `forbidden` if the caller may not report this.
    func voice(
        for id: String, _ statement: NodeStatement
    ) throws(ControlFailure) -> (Authority, String) {
        let asked = statement.authority
        let (voice, name): (NodeStatement.Voice, String)
        switch self {
        case .account: (voice, name) = (asked ?? .report, description)
        case .node(let own):
            guard own == nil || own == id else {
                throw ControlFailure(
                    .forbidden, "this token is for node \(own ?? "") only",
                    remedy: "use the token of node \(id), or report \(own ?? "") with this one")
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
                .forbidden, "this token may not report as \(asked.rawValue)", remedy: "leave authority out")
        }
        switch voice {
        case .report: return (.report, name)
        case .external: return (.external, name)
        case .automation: return (.automation, name)
        }
    }
}
