import CFastPathABI
import ControlPlane
import DNSWire
import FastPathDriver
import FastPathPlan
import IPNetworks
import Location
import Resolution
import Steering
import Zones

/// What the program's tables hold for one name and type.
struct FastPathAnswers {
    /// A reply that is the same for every client.
    let answersAlike: Bool
    /// A recipe, by which the program makes the answer from nodes.
    let makesAnswer: Bool
}

/// Which path would answer a question: the program, unless something keeps it from that.
struct AnsweringPath {
    private let explanation: Explanation
    private let outcome: Explanation.Outcome
    private let fastPath: FastPathView
    private let tables: FastPathAnswers

    private static let beyondTables = "the reply depends on more than the program knows"

    init(
        _ explanation: Explanation, _ outcome: Explanation.Outcome, _ fastPath: FastPathView, _ tables: FastPathAnswers
    ) {
        (self.explanation, self.outcome, self.fastPath, self.tables) = (explanation, outcome, fastPath, tables)
    }

    /// Why the program does not answer; `nil` if it does.
    func obstacle() -> String? {
        let (question, model) = (explanation.question, explanation.model)
        guard fastPath.isAttached else {
            return fastPath.attachments.first?.reason ?? "no interface has a fast path"
        }
        let match = explanation.resolver.match(question.name, question.type)
        guard question.type == .a || question.type == .aaaa, let match, let index = match.addresses else {
            // A query with DO may need signatures that the program lacks; explain knows no flags.
            if tables.answersAlike { return nil }
            guard tables.makesAnswer else { return Self.beyondTables }
            return recordsObstacle(match)
        }
        let name = model.tailored[index]
        let plan = TailoredPlan(model)
        switch plan.left(name) {
        case .accessList?: return "the zone has an access list"
        case .views?: return "the views of names have more than \(NC_MAX_VIEW_PREFIXES) networks"
        case nil: break
        }
        if plan.isLeft(name, to: question.client) { return senderInView }
        // NODATA is the same for every client.
        guard let table = question.type == .a ? name.v4 : name.v6 else { return nil }
        guard match.nameHash == nil || tables.makesAnswer else { return Self.beyondTables }
        let place = model.locate(client: question.client, subnet: question.subnet, rule: name.rule)
        let chosen = model.steering.selectByList(
            table: table, place: place.place,
            client: nc_client(leaf: place.leaf, name_hash: match.nameHash ?? name.steeringHash),
            rule: name.rule, words: explanation.resolver.words)
        guard chosen == nil else { return nil }
        guard outcome.decision?.chosen.step == 0 else {
            return "no node of the pool is usable, or rules deny it"
        }
        return "the place's candidate list has no usable node, or is incomplete"
    }

    private var senderInView: String {
        let model = explanation.model
        let view = model.views.number(of: explanation.question.client).map { " \(model.views.views[$0].id)" } ?? ""
        return "the sender is in a network of view\(view)"
    }

    // MARK: - Tailored records other than addresses

    private func recordsObstacle(_ match: TailoredMatch?) -> String? {
        let (question, model) = (explanation.question, explanation.model)
        guard let match, let index = match.records else { return Self.beyondTables }
        let records = model.tailoredRecords[index]
        let plan = TailoredPlan(model)
        let addresses = match.addresses.map { model.tailored[$0] }
        if plan.isLeft(records, to: question.client) || addresses.map({ plan.isLeft($0, to: question.client) }) ?? false
        {
            return senderInView
        }
        let words = explanation.resolver.words
        let place = model.locate(client: question.client, subnet: question.subnet, rule: records.rule)
        func slots(_ chain: SteeringChain) -> [Int] {
            let client = nc_client(leaf: place.leaf, name_hash: match.nameHash ?? records.steeringHash)
            let chosen = model.steering.selectByList(
                table: chain.table, place: place.place, client: client, rule: records.rule, words: words)
            return chosen?.slots ?? []
        }
        let isFound =
            switch records.content {
            case .alias(let chain, let data), .texts(let chain, let data), .exchanges(let chain, _, let data):
                slots(chain).first.map { data[$0] != nil } ?? false
            case .binding(_, let v4, let v6, _): [v4, v6].allSatisfy { $0.map { !slots($0).isEmpty } ?? true }
            case .services(let services, let fallback):
                fallback.isEmpty && records.rule.all_down == UInt8(NC_ALL_DOWN_OPEN.rawValue)
                    || services.contains { Self.isAnswered(nc_word_state(words.word($0.slot, nil))) }
            }
        return isFound
            ? nil : "no node of the pool is usable, or the place's candidate list is incomplete"
    }

    private static func isAnswered(_ state: UInt32) -> Bool {
        [NC_NODE_UP, NC_NODE_DEGRADED, NC_NODE_UNKNOWN].contains { $0.rawValue == state }
    }
}
