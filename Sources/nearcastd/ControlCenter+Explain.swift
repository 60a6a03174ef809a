import CFastPathABI
import ControlAPI
import DNSWire
import IPNetworks
import Location
import MapWriter
import Serving
import Steering

extension ControlCenter {
    func explain(_ request: ExplainRequest) async throws(ControlFailure) -> ExplainReport {
        let parts = try parts()
        let question = try read(request)
        guard let index = model.tailored.firstIndex(where: { $0.name == question.name }) else {
            if let records = model.tailoredRecords.first(where: { $0.name == question.name }) {
                throw ControlFailure(
                    .notFound, "\(question.name) has tailored \(records.type) records, which are not explained",
                    remedy: "ask the server itself, as `kdig @ADDRESS \(question.name) \(records.type) +subnet=PREFIX`")
            }
            throw ControlFailure(
                .notFound, "\(question.name) is not a tailored name: its answer is the same for every client",
                remedy: "`nearcast inspect names` lists the names that are chosen for each client")
        }
        let name = model.tailored[index]
        let decision = model.decide(
            index, family: question.family, client: question.client, subnet: question.subnet, words: parts.words)
        let place =
            decision?.client
            ?? model.locate(
                client: question.client, subnet: question.subnet, rule: name.rule)
        let slots = decision?.selection.slots ?? []
        let answers = decision?.addresses ?? []
        let (path, pathReason) = path(name, decision, await parts.fastPath.snapshot())
        return ExplainReport(
            name: "\(question.name)", type: request.type.uppercased(), client: request.from,
            clientPlace: report(place), source: place.isBySubnet ? .ecs : .address,
            scope: place.isBySubnet ? place.scope : 0,
            candidates: candidates(decision?.table, question.family, place, chosen: slots, parts.words),
            answers: answers.map(\.description),
            responseCode: decision != nil && answers.isEmpty ? "REFUSED" : "NOERROR",
            ttl: answers.isEmpty ? nil : decision?.selection.ttl, path: path, pathReason: pathReason,
            epoch: model.epoch, digest: model.digest.hexadecimal)
    }

    private struct Question {
        let name: DomainName
        let family: IPFamily
        let client: IPAddress
        let subnet: ClientSubnet?
    }

    private func read(_ request: ExplainRequest) throws(ControlFailure) -> Question {
        guard let name = try? DomainName(request.name) else {
            throw ControlFailure(.invalid, "\"\(request.name)\" is not a domain name")
        }
        let family: IPFamily
        switch request.type.uppercased() {
        case "A": family = .v4
        case "AAAA": family = .v6
        default:
            throw ControlFailure(
                .invalid, "type \(request.type) is not explained", remedy: "ask for A or AAAA")
        }
        if let address = IPAddress(request.from) {
            return Question(name: name, family: family, client: address, subnet: nil)
        }
        guard let prefix = IPPrefix(request.from) else {
            throw ControlFailure(
                .invalid, "\"\(request.from)\" is neither an address nor a prefix",
                remedy: "give the sender's address, as 192.0.2.1, or an ECS prefix without host bits, as 192.0.2.0/24")
        }
        let subnet = ClientSubnet(address: prefix.address, sourceLength: UInt8(prefix.length))
        return Question(name: name, family: family, client: prefix.address, subnet: subnet)
    }

    func report(_ client: Serving.ClientPlace) -> ControlAPI.ClientPlace {
        let place = model.places[client.place]
        let network = "\(IPAddress(client.leaf))/\(client.scope)"
        guard client.place != 0 else { return ControlAPI.ClientPlace(known: false, network: network) }
        return ControlAPI.ClientPlace(
            known: place.coordinates != nil, latitude: place.coordinates.map { Double($0.latitude) / 1e6 },
            longitude: place.coordinates.map { Double($0.longitude) / 1e6 }, city: place.city, region: place.region,
            country: place.country, continent: place.continent, network: network)
    }

    private func path(
        _ name: TailoredName, _ decision: Decision?, _ fastPath: FastPathRunner.Snapshot
    ) -> (ExplainReport.Path, String?) {
        guard fastPath.isAttached else {
            return (.slow, fastPath.attachments.first?.reason ?? "no interface has a fast path")
        }
        guard name.name.lowercasedWire.count <= NC_NAME_BYTES else {
            return (.slow, "the name is longer than \(NC_NAME_BYTES) bytes")
        }
        guard let decision else { return (.slow, "no node of the pool has an address of this type") }
        if let view = decision.view { return (.slow, "the sender is in view \(model.views.views[view].id)") }
        guard decision.chosen.step == 0 else { return (.slow, "no node of the pool is usable") }
        guard decision.selection.isLocal else { return (.slow, "no candidate of the lists is usable") }
        return (.fast, nil)
    }

    /// Every member of the pool by band and distance, then those without an address of the family.
    private func candidates(
        _ table: Int?, _ family: IPFamily, _ client: Serving.ClientPlace, chosen: [Int], _ words: NodeWords
    ) -> [CandidateReport] {
        guard let table else { return [] }
        let steering = model.steering
        let coordinates = model.places.coordinates(client.place)
        let ranking = steering.tables[table].ranking
        let ranked = ranking.order(for: model.places[client.place], limit: Int(NC_MAX_NODES))
        var reports = ranked.map { candidate in
            let node = steering.nodes[candidate.node]
            let word = words.word(node.slot)
            let isChosen = chosen.contains(node.slot)
            return CandidateReport(
                node: node.id, region: node.region,
                distanceKm: coordinates == nil ? nil : GreatCircle.metres(squaredChord: candidate.squaredChord) / 1000,
                band: candidate.band, weight: Int(candidate.weight), state: NodeState(word: word),
                share: Int(nc_word_share(word)), eligible: true, chosen: isChosen, reason: reason(word, isChosen))
        }
        for member in steering.tables[table].key.members where !ranked.contains(where: { $0.node == member.node }) {
            let node = steering.nodes[member.node]
            let word = words.word(node.slot)
            reports.append(
                CandidateReport(
                    node: node.id, region: node.region, weight: Int(member.weight), state: NodeState(word: word),
                    share: Int(nc_word_share(word)), eligible: false, chosen: false,
                    reason: "has no \(family == .v4 ? "IPv4" : "IPv6") address"))
        }
        return reports
    }

    private func reason(_ word: UInt64, _ isChosen: Bool) -> String {
        let state = NodeState(word: word)
        switch (state, isChosen) {
        case (.up, true), (.degraded, true): return "chosen"
        case (_, true): return "chosen although \(state.rawValue): nobody is usable"
        case (.up, false), (.degraded, false): return "others come first"
        case (_, false): return "is \(state.rawValue)"
        }
    }
}

extension IPAddress {
    /// An address as tables see it, for people.
    init(_ address: nc_address) {
        self =
            address.family == UInt32(NC_FAMILY_V4)
            ? .v4(UInt32(truncatingIfNeeded: address.hi >> 32)) : .v6(UInt128(address.hi) << 64 | UInt128(address.lo))
    }
}
