import CFastPathABI
package import ControlFailures
package import ControlPlane
package import DNSWire
package import IPNetworks
import Location
package import ManagementTypes
package import Resolution
import Steering
import ZoneFile
import Zones

/// One query on a tailored name, decided by the resolver that serves, with its reasons. Nothing is decided here.
package struct Explanation {
    package struct Question {
        let name: DomainName
        let type: RecordType
        /// The sender's address.
        let client: IPAddress
        let subnet: ClientSubnet?

        package init(name: DomainName, type: RecordType, client: IPAddress, subnet: ClientSubnet?) {
            (self.name, self.type, self.client, self.subnet) = (name, type, client, subnet)
        }
    }

    /// The result of a question.
    package struct Outcome {
        let view: Int?
        let pool: String
        let policy: String
        let place: ClientLocation
        package let choices: [ChoiceReport]
        var answers: [String] = []
        var code = "NOERROR"
        var ttl: UInt32?
        var scope = 0
        /// Of addresses that a node, or a policy, has.
        var decision: Decision?
    }

    let question: Question
    let resolver: SteeringResolver
    /// The nodes; `nil` before they are known.
    let nodes: NodesView?
    var model: ServingModel { resolver.model }

    package init(question: Question, resolver: SteeringResolver, nodes: NodesView?) {
        (self.question, self.resolver, self.nodes) = (question, resolver, nodes)
    }

    /// - Throws: `notFound` where the zone answers, and every client alike.
    package func outcome() throws(ControlFailure) -> Outcome {
        let match = resolver.match(question.name, question.type) ?? resolver.match(question.name)
        let isAddress = question.type == .a || question.type == .aaaa
        if isAddress, let tailored = match?.addresses { return addresses(tailored, match?.nameHash) }
        if let records = match?.records, let outcome = self.records(records, match?.nameHash) { return outcome }
        throw sameForAll(isTailored: match != nil)
    }

    /// What every client gets alike, where nothing is tailored.
    private func sameForAll(isTailored: Bool) -> ControlFailure {
        let (name, type) = ("\(question.name)", "\(question.type)")
        guard let zone = model.zones.zone(of: question.name) else {
            return ControlFailure(
                .notFound, "\(name) is in no zone of this server: every client gets REFUSED",
                remedy: "`nearcast status` lists the zones")
        }
        let finding = LookupName.withScratch { lookup in
            question.name.lowercasedWire.withUnsafeBytes { lookup.load($0) }
            return zone.find(zone.match(lookup), question.type)
        }
        let message: String
        switch finding {
        case .nxDomain: message = "\(name) does not exist in zone \(zone.apex): every client gets NXDOMAIN"
        case .noData, .onlyTailored:
            message = "\(name) has no \(type) records: every client gets an empty answer (NODATA)"
        case .alias: message = "\(name) is an alias in zone \(zone.apex), the same for every client"
        case .dname, .referral:
            message = "\(name) is redirected or delegated by zone \(zone.apex), the same for every client"
        case .data where isTailored:
            message = "\(name) has no tailored \(type) records: every client gets the zone's"
        case .data: message = "\(name) is not a tailored name: its answer is the same for every client"
        }
        let remedy =
            isTailored
            ? "ask for a type that is tailored at this name; see tailored in the configuration"
            : "`nearcast inspect names` lists the tailored names"
        return ControlFailure(.notFound, message, remedy: remedy)
    }

    private func addresses(_ index: Int, _ nameHash: UInt64?) -> Outcome {
        let name = model.tailored[index]
        let nameHash = nameHash ?? name.steeringHash
        let family: IPFamily = question.type == .a ? .v4 : .v6
        let view = model.view(of: question.client, among: name.views)
        let choice = view.flatMap { name.views[$0] } ?? name.choice
        let decision = model.decide(
            index, family: family, client: question.client, subnet: question.subnet,
            nameHash: nameHash, words: resolver.words)
        let place = decision?.client ?? locate(choice.rule)
        let choices = decision.map {
            self.choices($0.chain, $0.chosen, family, place, nameHash: nameHash)
        }
        var outcome = Outcome(
            view: view, pool: choice.pool, policy: choice.policy, place: place, choices: choices ?? [],
            decision: decision)
        guard let decision else { return outcome }
        outcome.answers = decision.addresses.map(\.description)
        if outcome.answers.isEmpty { outcome.code = "REFUSED" } else { outcome.ttl = decision.selection.ttl }
        outcome.scope = outcome.answers.isEmpty ? 0 : Int(decision.replyScope)
        return outcome
    }

    /// Nil where the type is not tailored at the name.
    private func records(_ index: Int, _ nameHash: UInt64?) -> Outcome? {
        let name = model.tailoredRecords[index]
        let nameHash = nameHash ?? name.steeringHash
        let view = model.view(of: question.client, among: name.views)
        let choice = view.flatMap { name.views[$0] } ?? name.choice
        let place = locate(choice.rule)
        let decision = resolver.decideRecords(
            index: index, type: question.type, client: question.client, subnet: question.subnet,
            nameHash: nameHash)
        if case .notTailored = decision { return nil }
        var outcome = Outcome(
            view: view, pool: choice.pool, policy: choice.policy, place: place,
            choices: choices(choice, place, nameHash: nameHash))
        guard case .records(let set) = decision else {
            outcome.code = "REFUSED"
            return outcome
        }
        outcome.answers = Self.texts(set)
        (outcome.ttl, outcome.scope) = (set.ttl, Int(set.scope))
        return outcome
    }

    private func choices(
        _ choice: TailoredRecords.Choice, _ place: ClientLocation, nameHash: UInt64
    ) -> [ChoiceReport] {
        func decided(_ chain: SteeringChain, _ family: IPFamily?) -> [ChoiceReport] {
            let chosen = model.select(chain, place, choice.rule, nameHash: nameHash, resolver.words)
            return choices(chain, chosen, family, place, nameHash: nameHash)
        }
        switch choice.content {
        case .services(let services, let fallback): return self.choices(services, fallback, choice.rule)
        case .alias(let chain, _), .texts(let chain, _), .exchanges(let chain, _, _): return decided(chain, nil)
        case .binding(_, let v4, let v6, _):
            return (v4.map { decided($0, .v4) } ?? []) + (v6.map { decided($0, .v6) } ?? [])
        }
    }

    private func locate(_ rule: nc_rule) -> ClientLocation {
        model.locate(client: question.client, subnet: question.subnet, rule: rule)
    }

    /// The RDATA of a set's records in zone-file syntax.
    private static func texts(_ set: TailoredRRset) -> [String] {
        var texts: [String] = []
        var rest = set.data[...]
        while rest.count >= 2 {
            let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            let text = set.type.presentation(of: Array(rest.dropFirst(2).prefix(length)))
            // An alias also answers other types.
            texts.append(set.type == .cname ? "CNAME \(text)" : text)
            rest = rest.dropFirst(2 + length)
        }
        return texts
    }
}
