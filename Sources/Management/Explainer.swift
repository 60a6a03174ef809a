import CFastPathABI
import ConfigurationModel
import ControlFailures
import ControlPlane
import DNSWire
import FastPathDriver
import FastPathPlan
import IPNetworks
import Location
import ManagementTypes
import ModelCompiler
import Resolution
import Steering
import Zones

/// The report of `nearcast explain`: a function of one snapshot of the state, and of the resolver that serves.
struct Explainer {
    let state: DaemonState
    let resolver: SteeringResolver
    /// What the program's tables hold for the question.
    let tables: FastPathAnswers

    func report(_ question: Explanation.Question, client: String) throws(ControlFailure) -> ExplainReport {
        let explanation = Explanation(question: question, resolver: resolver, nodes: state.nodes)
        var outcome = try explanation.outcome()
        let model = explanation.model
        let access = access(question, model)
        if access?.isAdmitted == false { (outcome.code, outcome.answers, outcome.ttl) = ("REFUSED", [], nil) }
        let obstacle = AnsweringPath(explanation, outcome, state.fastPath, tables).obstacle()
        return ExplainReport(
            name: "\(question.name)", type: "\(question.type)", client: client,
            clientPlace: ManagementTypes.ClientPlace(outcome.place, in: model),
            source: outcome.place.isBySubnet ? .ecs : .address, view: outcome.view.map { model.views.views[$0].id },
            access: access, pool: outcome.pool, policy: outcome.policy, scope: outcome.scope, choices: outcome.choices,
            answers: outcome.answers, responseCode: outcome.code, ttl: outcome.ttl,
            path: obstacle == nil ? .fast : .slow, pathReason: obstacle, epoch: model.epoch,
            digest: model.digest.hexadecimal)
    }

    /// Whether the zone of the name answers the sender. The verdict is the resolver's; the configuration says why.
    private func access(_ question: Explanation.Question, _ model: ServingModel) -> AccessReport? {
        guard let zone = model.zones.zone(of: question.name) else { return nil }
        let list = model.zones.accessList(of: zone)
        let isAdmitted = list?.admits(question.client) ?? true
        func report(_ reason: String) -> AccessReport {
            AccessReport(zone: "\(zone.apex)", isAdmitted: isAdmitted, reason: reason)
        }
        guard list != nil,
            let settings = state.served.loaded.configuration.zones.first(where: { $0.origin == zone.apex })
        else {
            return report("open to all")
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
}

extension Explanation.Question {
    init(_ request: ExplainRequest) throws(ControlFailure) {
        guard let name = try? DomainName(request.name) else {
            throw ControlFailure(.invalid, "\"\(request.name)\" is not a domain name")
        }
        guard let type = RecordType(request.type) else {
            throw ControlFailure(
                .invalid, "\"\(request.type)\" is not a record type", remedy: "write one, such as A, HTTPS or TYPE64")
        }
        if let address = IPAddress(request.from) {
            self.init(name: name, type: type, client: address, subnet: nil)
            return
        }
        guard let prefix = IPPrefix(request.from) else {
            throw ControlFailure(
                .invalid, "\"\(request.from)\" is neither an address nor a prefix",
                remedy:
                    "give the sender's address, such as 192.0.2.1, or an ECS prefix without host bits, such as 192.0.2.0/24"
            )
        }
        // Views and access lists depend on the sender alone; a client subnet does not tell it.
        var sender = prefix.address
        if let text = request.sender {
            guard let address = IPAddress(text) else {
                throw ControlFailure(.invalid, "\"\(text)\" is not an address", remedy: "give one, such as 192.0.2.1")
            }
            sender = address
        }
        let subnet = ClientSubnet(address: prefix.address, sourceLength: UInt8(prefix.length))
        self.init(name: name, type: type, client: sender, subnet: subnet)
    }
}

extension ManagementTypes.ClientPlace {
    init(_ client: ClientLocation, in model: ServingModel) {
        let place = model.places[client.place]
        let network = "\(IPAddress(client.leaf))/\(client.scope)"
        let labels = place.labels.isEmpty ? nil : place.labels
        guard client.place != 0 else {
            self.init(known: false, network: network, labels: labels)
            return
        }
        self.init(
            known: place.coordinates != nil, latitude: place.coordinates.map { Double($0.latitude) / 1e6 },
            longitude: place.coordinates.map { Double($0.longitude) / 1e6 }, city: place.city, region: place.region,
            country: place.country, continent: place.continent, network: network, labels: labels)
    }
}
