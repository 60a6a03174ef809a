import CFastPathABI
public import DNSWire
public import IPNetworks
import Steering

extension SteeringResolver {
    public func decideRecords(
        index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?, nameHash: UInt64?
    ) -> TailoredRecordsDecision {
        let records = model.tailoredRecords[index]
        let nameHash = nameHash ?? records.steeringHash
        guard records.decides(type) else { return .notTailored }
        let view = model.view(of: client, among: records.views)
        let choice = view.flatMap { records.views[$0] } ?? records.choice
        switch choice.content {
        case .services(let services, let fallback):
            return decide(services, fallback, choice.rule)
        case .alias(let chain, let hosts):
            return decide(choice, chain, nameHash, client, subnet, records.type) { slots in
                slots.first.flatMap { hosts[$0] }.map { [0, UInt8($0.count)] + $0 }
            }
        case .texts(let chain, let texts):
            return decide(choice, chain, nameHash, client, subnet, records.type) { $0.first.flatMap { texts[$0] } }
        case .exchanges(let chain, let preference, let hosts):
            return decide(choice, chain, nameHash, client, subnet, records.type) { slots in
                slots.compactMap { hosts[$0] }.enumerated().reduce(nil) { data, exchange in
                    let preference = Int(preference) + TailoredRecords.preferenceStep * exchange.offset
                    let record = TailoredRecords.Choice.exchange(exchange.element, UInt16(clamping: preference))
                    return (data ?? []) + record
                }
            }
        case .binding(_, let v4, let v6, let prefix):
            let place = model.locate(client: client, subnet: subnet, rule: choice.rule)
            return decide(records.type, nameHash, choice.rule, chains: [(.v4, v4), (.v6, v6)], prefix, place)
        }
    }

    /// The records that `data` gives for the nodes that a chain chooses, in order.
    private func decide(
        _ choice: TailoredRecords.Choice, _ chain: SteeringChain, _ nameHash: UInt64, _ client: IPAddress,
        _ subnet: ClientSubnet?, _ type: RecordType, _ data: ([Int]) -> [UInt8]?
    ) -> TailoredRecordsDecision {
        let place = model.locate(client: client, subnet: subnet, rule: choice.rule)
        let selection = model.select(chain, place, choice.rule, nameHash: nameHash, words).selection
        guard let data = data(selection.slots) else { return .refused }
        return .records(
            TailoredRRset(
                type: type, data: data, ttl: min(selection.ttl, ttlLimit), scope: place.replyScope,
                node: selection.slots.first))
    }

    /// All usable nodes, for every client, because clients that balance over SRV treat a missing target as gone. If no
    /// node is usable: nodes of unknown state, else the fallback's nodes or what the all-down rule says.
    private func decide(
        _ services: [TailoredRecords.Service], _ fallback: [TailoredRecords.Service], _ rule: nc_rule
    ) -> TailoredRecordsDecision {
        var ttl = NC_TTL_STABLE
        for service in services { ttl = min(ttl, nc_word_ttl(words.word(service.slot, nil))) }
        var data = data(of: services, in: [NC_NODE_UP.rawValue, NC_NODE_DEGRADED.rawValue])
        if data.isEmpty { data = self.data(of: services, in: [NC_NODE_UNKNOWN.rawValue]) }
        if data.isEmpty, !fallback.isEmpty {
            var open = rule
            (open.all_down, open.ttl_max) = (UInt8(NC_ALL_DOWN_OPEN.rawValue), rule.ttl_min)
            return decide(fallback, [], open)
        }
        if data.isEmpty {
            guard rule.all_down == UInt8(NC_ALL_DOWN_OPEN.rawValue) else { return .refused }
            ttl = 0
            data = services.flatMap(\.data)
        }
        return .records(
            TailoredRRset(
                type: .srv, data: data, ttl: min(max(min(ttl, rule.ttl_max), rule.ttl_min), ttlLimit), scope: 0))
    }

    private func data(of services: [TailoredRecords.Service], in states: [UInt32]) -> [UInt8] {
        var data: [UInt8] = []
        for service in services where states.contains(nc_word_state(words.word(service.slot, nil))) {
            data += service.data
        }
        return data
    }

    /// The address hints are the addresses that the client would get for a name with the same pool and policy.
    private func decide(
        _ type: RecordType, _ nameHash: UInt64, _ rule: nc_rule, chains: [(IPFamily, SteeringChain?)],
        _ prefix: [UInt8], _ place: ClientLocation
    ) -> TailoredRecordsDecision {
        var data = prefix
        var ttl = UInt32.max
        var node: Int?
        for case (let family, let chain?) in chains {
            let chosen = model.select(chain, place, rule, nameHash: nameHash, words)
            let addresses = model.addresses(chain, chosen, family)
            guard !addresses.isEmpty else { continue }
            ttl = min(ttl, chosen.selection.ttl)
            node = node ?? chosen.selection.slots.first
            let key: ServiceKey = family == .v4 ? .ipv4hint : .ipv6hint
            data += [0, UInt8(key.rawValue), 0, UInt8(addresses.count * family.byteCount)]
            for address in addresses { data += address.bytes }
        }
        guard ttl != .max else { return .refused }
        let length = [UInt8(data.count >> 8), UInt8(data.count & 255)]
        return .records(
            TailoredRRset(
                type: type, data: length + data, ttl: min(ttl, ttlLimit), scope: place.replyScope, node: node))
    }
}
