package import Access
package import ControlFailures
import ControlPlane
import Health
import HealthChecks
import IPNetworks
import Logging
package import ManagementTypes
import StateStore

/// Nodes: changes by operators, reports, history.
extension Operations {
    package func setNode(
        _ id: String, to change: NodeStateChange, by caller: Caller
    ) async throws(ControlFailure) -> NodeReport {
        let start = ContinuousClock.now
        let outcome = try await parts().nodes.apply(change.signed(by: caller).order(), to: .nodes([id]))
        log(change, of: [id], by: caller)
        let view = try view()
        guard let entry = view.entries[id] else { throw NodeController.unknown(id) }
        var report = view.report(entry)
        report.tookMicroseconds = (outcome.seenAt - start).seconds * 1e6
        return report
    }

    package func setNodes(
        _ change: NodesStateChange, by caller: Caller
    ) async throws(ControlFailure) -> NodesStateReport {
        let start = ContinuousClock.now
        let order = try change.change.signed(by: caller).order()
        let outcome = try await parts().nodes.apply(order, to: change.selection())
        log(change.change, of: outcome.nodes, by: caller)
        let view = try view()
        let states = outcome.nodes.compactMap { id in
            view.entries[id].map {
                NodesStateReport.Node(
                    id: id, state: view.state(of: $0), fullShareAt: view.fleet.nodes[id]?.fullShareAt?.date)
            }
        }
        return NodesStateReport(
            nodes: states, changed: outcome.changed, tookMicroseconds: (outcome.seenAt - start).seconds * 1e6)
    }

    package func history(of id: String?, limit: Int) async throws(ControlFailure) -> [TransitionReport] {
        let parts = try parts()
        // The latest changes may not be on disk yet. A disk that fails is logged elsewhere.
        _ = await parts.store.flush()
        let found: [NodeTransition]
        do { found = try await parts.store.history(of: id, limit: limit) } catch {
            throw ControlFailure(.internal, "the journal cannot be read: \(error)")
        }
        if found.isEmpty, let id, try view().entries[id] == nil { throw NodeController.unknown(id) }
        return found.map { TransitionReport($0) }
    }

    package func transitions(
        after sequence: UInt64?, waitSeconds: Int
    ) async throws(ControlFailure) -> TransitionsReport {
        let parts = try parts()
        return try await TransitionPoll(events: parts.events, store: parts.store, life: parts.life)
            .transitions(after: sequence, waitSeconds: waitSeconds)
    }

    private func log(_ change: NodeStateChange, of nodes: [String], by caller: Caller) {
        log(
            .info, "node state requested",
            [
                "nodes": "\(nodes.prefix(8).joined(separator: " "))", "count": "\(nodes.count)",
                "state": "\(change.state.rawValue)",
            ], by: caller, author: change.author, reason: change.reason)
    }

    // MARK: - Reports

    package func state(
        _ statement: NodeStatement, of id: String, as caller: Caller
    ) async throws(ControlFailure) -> StatementReceipt {
        let (authority, name) = try caller.voice(for: id, statement)
        let author = Caller.author(name, remarks: [statement.author, statement.reason])
        let outcome = try await (try parts()).nodes.take(
            NodeStatementInput(statement), of: id, as: authority, by: author, paced: caller.token)
        if statement.state != nil {
            // Nodes repeat their reports; a change of state is an event of its own.
            log(
                .debug, "node state reported", ["node": "\(id)", "state": "\(statement.state?.rawValue ?? "")"],
                by: caller, author: statement.author, reason: statement.reason)
        }
        return StatementReceipt(
            node: id, state: NodeState(outcome.state), authority: "\(outcome.authority ?? .checks)",
            validSeconds: outcome.validSeconds,
            ignored: NodeStatement.told(outcome.unknownPeers.map { "peers.\($0)" }))
    }

    package func take(
        _ verdicts: ObserverVerdicts, from observer: String, as caller: Caller
    ) async throws(ControlFailure) -> VerdictsReceipt {
        switch caller {
        case .account, .observer(observer): break
        default:
            throw ControlFailure(
                .forbidden, "this token is not that of observer \(observer)", remedy: "use the token of \(observer)")
        }
        let taken = try await (try parts()).nodes.take(
            verdicts.subjects, from: observer)
        return VerdictsReceipt(
            observer: observer, counted: taken.counted, isHeard: taken.isHeard,
            validSeconds: Int(taken.freshness / 1_000), ignored: NodeStatement.told(taken.ignored))
    }
}

extension ObserverVerdicts {
    /// The verdicts, as health checking knows them.
    fileprivate var subjects: [Observers.Subject: Observers.Verdict] {
        var subjects: [Observers.Subject: Observers.Verdict] = [:]
        for (node, opinion) in verdicts {
            switch opinion {
            case .node(let verdict): subjects[Observers.Subject(node)] = verdict == .up ? .up : .down
            case .families(let families):
                for family in IPFamily.allCases {
                    guard let verdict = families[family.name] else { continue }
                    subjects[Observers.Subject(node, family)] = verdict == .up ? .up : .down
                }
            }
        }
        return subjects
    }
}
