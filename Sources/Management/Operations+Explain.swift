import CFastPathABI
import ConfigurationModel
package import ControlFailures
import ControlPlane
import DNSWire
import FastPathDriver
import FastPathPlan
import IPNetworks
import Location
package import ManagementTypes
import ModelCompiler
import Resolution
import Steering
import Zones

extension Operations {
    package func explain(_ request: ExplainRequest) async throws(ControlFailure) -> ExplainReport {
        let parts = try parts()
        let explanation = Explanation(question: try read(request), resolver: parts.slowPath.resolver.steering)
        var outcome = try explanation.outcome()
        let question = explanation.question
        let access = access(question, explanation.model, parts.state.current.served.loaded)
        if access?.isAdmitted == false { (outcome.code, outcome.answers, outcome.ttl) = ("REFUSED", [], nil) }
        let (path, pathReason) = await path(explanation, outcome, parts)
        let served = explanation.model
        return ExplainReport(
            name: "\(question.name)", type: "\(question.type)", client: request.from,
            clientPlace: report(outcome.place, served), source: outcome.place.isBySubnet ? .ecs : .address,
            view: outcome.view.map { served.views.views[$0].id }, access: access, pool: outcome.pool,
            policy: outcome.policy, scope: outcome.scope, choices: outcome.choices, answers: outcome.answers,
            responseCode: outcome.code, ttl: outcome.ttl, path: path, pathReason: pathReason, epoch: served.epoch,
            digest: served.digest.hexadecimal)
    }

    private func read(_ request: ExplainRequest) throws(ControlFailure) -> Explanation.Question {
        guard let name = try? DomainName(request.name) else {
            throw ControlFailure(.invalid, "\"\(request.name)\" is not a domain name")
        }
        guard let type = RecordType(request.type) else {
            throw ControlFailure(
                .invalid, "\"\(request.type)\" is not a record type", remedy: "write one, as A, HTTPS or TYPE64")
        }
        if let address = IPAddress(request.from) {
            return Explanation.Question(name: name, type: type, client: address, subnet: nil)
        }
        guard let prefix = IPPrefix(request.from) else {
            throw ControlFailure(
                .invalid, "\"\(request.from)\" is neither an address nor a prefix",
                remedy: "give the sender's address, as 192.0.2.1, or an ECS prefix without host bits, as 192.0.2.0/24")
        }
        // Views and access lists go by the sender alone, which a client subnet says nothing of.
        var sender = prefix.address
        if let text = request.sender {
            guard let address = IPAddress(text) else {
                throw ControlFailure(.invalid, "\"\(text)\" is not an address", remedy: "give one, as 192.0.2.1")
            }
            sender = address
        }
        let subnet = ClientSubnet(address: prefix.address, sourceLength: UInt8(prefix.length))
        return Explanation.Question(name: name, type: type, client: sender, subnet: subnet)
    }

    func report(_ client: ClientLocation, _ model: ServingModel) -> ClientPlace {
        let place = model.places[client.place]
        let network = "\(IPAddress(client.leaf))/\(client.scope)"
        let labels = place.labels.isEmpty ? nil : place.labels
        guard client.place != 0 else {
            return ClientPlace(known: false, network: network, labels: labels)
        }
        return ClientPlace(
            known: place.coordinates != nil, latitude: place.coordinates.map { Double($0.latitude) / 1e6 },
            longitude: place.coordinates.map { Double($0.longitude) / 1e6 }, city: place.city, region: place.region,
            country: place.country, continent: place.continent, network: network, labels: labels)
    }

    /// Whether the zone of the name answers the sender. The words are of the configuration, the verdict is the resolver's.
    private func access(
        _ question: Explanation.Question, _ model: ServingModel, _ loaded: LoadedModel
    ) -> AccessReport? {
        guard let zone = model.zones.zone(of: question.name) else { return nil }
        let list = model.zones.accessList(of: zone)
        let isAdmitted = list?.admits(question.client) ?? true
        func report(_ reason: String) -> AccessReport {
            AccessReport(zone: "\(zone.apex)", isAdmitted: isAdmitted, reason: reason)
        }
        guard list != nil, let settings = loaded.configuration.zones.first(where: { $0.origin == zone.apex }) else {
            return report("open to everybody")
        }
        let networks = isAdmitted ? settings.allow : settings.deny
        let closest = networks.filter { $0.contains(question.client) }.max { $0.length < $1.length }
        switch (isAdmitted, closest) {
        case (true, let network?): return report("which allows \(network)")
        case (true, nil): return report("which does not deny \(question.client)")
        case (false, let network?): return report("which denies \(network): the sender is refused")
        case (false, nil): return report("which allows other networks only: the sender is refused")
        }
    }

    /// Who would answer, and why not the program.
    private func path(
        _ explanation: Explanation, _ outcome: Explanation.Outcome, _ parts: Parts
    ) async -> (ExplainReport.Path, String?) {
        let fastPath = parts.state.current.fastPath
        let (question, model) = (explanation.question, explanation.model)
        guard fastPath.isAttached else {
            return (.slow, fastPath.attachments.first?.reason ?? "no interface has a fast path")
        }
        guard question.type == .a || question.type == .aaaa,
            let name = model.tailored.first(where: { $0.name == question.name })
        else {
            // DO may ask for more than the program has; that is the query's, and unknown here.
            if await parts.fastPath.answersAlike(question.name, question.type) { return (.fast, nil) }
            let makesAnswer = await parts.fastPath.makesAnswer(question.name, question.type)
            return recordsPath(explanation, makesAnswer: makesAnswer) ?? (
                .slow, "the reply depends on more than the program knows"
            )
        }
        let plan = TailoredPlan(model)
        switch plan.left(name) {
        case .accessList?: return (.slow, "the zone has an access list")
        case .views?: return (.slow, "the views of names have more than \(NC_MAX_VIEW_PREFIXES) networks")
        case nil: break
        }
        if plan.isLeft(name, to: question.client) {
            let view = model.views.number(of: question.client).map { " \(model.views.views[$0].id)" } ?? ""
            return (.slow, "the sender is in a network of view\(view)")
        }
        // That there is nothing is the same for every client.
        guard let table = question.type == .a ? name.v4 : name.v6 else { return (.fast, nil) }
        let place = model.locate(client: question.client, subnet: question.subnet, rule: name.rule)
        let chosen = model.steering.selectByList(
            table: table, place: place.place, client: nc_client(leaf: place.leaf, name_hash: name.steeringHash),
            rule: name.rule, words: explanation.resolver.words)
        guard chosen == nil else { return (.fast, nil) }
        guard outcome.decision?.chosen.step == 0 else {
            return (.slow, "no node of the pool is usable, or rules deny it")
        }
        return (.slow, "the place's list has nobody usable, or cannot say")
    }
}
