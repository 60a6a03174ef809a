import CFastPathABI
import ControlPlane
import FastPathPlan
import ManagementTypes
import Resolution
import Steering

/// Who would answer with tailored records other than addresses.
extension Operations {
    /// Nil: the program has no recipe for the query.
    func recordsPath(
        _ explanation: Explanation, makesAnswer: Bool
    ) -> (ExplainReport.Path, String?)? {
        let (question, model) = (explanation.question, explanation.model)
        guard let records = model.tailoredRecords.first(where: { $0.name == question.name }),
            makesAnswer
        else { return nil }
        let plan = TailoredPlan(model)
        let addresses = model.tailored.first { $0.name == question.name }
        if plan.isLeft(records, to: question.client) || addresses.map({ plan.isLeft($0, to: question.client) }) ?? false
        {
            let view = model.views.number(of: question.client).map { " \(model.views.views[$0].id)" } ?? ""
            return (.slow, "the sender is in a network of view\(view)")
        }
        let words = explanation.resolver.words
        let place = model.locate(client: question.client, subnet: question.subnet, rule: records.rule)
        func slots(_ chain: SteeringChain) -> [Int] {
            let client = nc_client(leaf: place.leaf, name_hash: records.steeringHash)
            let chosen = model.steering.selectByList(
                table: chain.table, place: place.place, client: client, rule: records.rule, words: words)
            return chosen?.slots ?? []
        }
        let isFound =
            switch records.content {
            case .alias(let chain, let hosts): slots(chain).first.map { hosts[$0] != nil } ?? false
            case .binding(_, let v4, let v6, _): [v4, v6].allSatisfy { $0.map { !slots($0).isEmpty } ?? true }
            case .services(let services, let fallback):
                fallback.isEmpty && records.rule.all_down == UInt8(NC_ALL_DOWN_OPEN.rawValue)
                    || services.contains { Self.isAnswered(nc_word_state(words.word($0.slot))) }
            }
        return isFound ? (.fast, nil) : (.slow, "no node of the pool is usable, or the place's list cannot say")
    }

    private static func isAnswered(_ state: UInt32) -> Bool {
        [NC_NODE_UP, NC_NODE_DEGRADED, NC_NODE_UNKNOWN].contains { $0.rawValue == state }
    }
}
