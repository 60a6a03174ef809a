import CFastPathABI
public import DNSWire
public import IPNetworks
import Steering

extension SteeringResolver {
    public func decideRecords(
        index: Int, type: RecordType, client: IPAddress, subnet: ClientSubnet?
    ) -> TailoredRecordsDecision {
        let records = model.tailoredRecords[index]
        switch records.content {
        case .services(let services):
            return type == .srv ? decide(services, records.rule) : .notTailored
        case .alias(let table, let hosts):
            // RRSIG and NSEC would stand beside an alias and be about it (RFC 4035, section 2.5).
            guard type != .rrsig, type != .nsec else { return .notTailored }
            let place = model.locate(client: client, subnet: subnet, rule: records.rule)
            let selection = model.select(table, place, records.rule, nameHash: records.steeringHash, words)
            guard let slot = selection.slots.first, let host = hosts[slot] else { return .refused }
            return .records(
                TailoredRRset(
                    type: .cname, data: [0, UInt8(host.count)] + host, ttl: selection.ttl, scope: place.replyScope))
        case .binding(let bindingType, let v4, let v6, let prefix):
            guard type == bindingType else { return .notTailored }
            let place = model.locate(client: client, subnet: subnet, rule: records.rule)
            return decide(records, tables: [(.v4, v4), (.v6, v6)], prefix, place)
        }
    }

    /// All usable nodes, for every client: load balancers take what is missing for gone. Where there is none those of unknown
    /// state, else what the all-down rule says.
    private func decide(_ services: [TailoredRecords.Service], _ rule: nc_rule) -> TailoredRecordsDecision {
        var ttl = NC_TTL_STABLE
        for service in services { ttl = min(ttl, nc_word_ttl(words.word(service.slot))) }
        var data = data(of: services, in: [NC_NODE_UP.rawValue, NC_NODE_DEGRADED.rawValue])
        if data.isEmpty { data = self.data(of: services, in: [NC_NODE_UNKNOWN.rawValue]) }
        if data.isEmpty {
            guard rule.all_down == UInt8(NC_ALL_DOWN_OPEN.rawValue) else { return .refused }
            ttl = 0
            data = services.flatMap(\.data)
        }
        return .records(
            TailoredRRset(type: .srv, data: data, ttl: max(min(ttl, rule.ttl_max), rule.ttl_min), scope: 0))
    }

    private func data(of services: [TailoredRecords.Service], in states: [UInt32]) -> [UInt8] {
        var data: [UInt8] = []
        for service in services where states.contains(nc_word_state(words.word(service.slot))) { data += service.data }
        return data
    }

    /// The hints are the addresses that the client gets for the name with the same pool and policy.
    private func decide(
        _ records: TailoredRecords, tables: [(IPFamily, Int?)], _ prefix: [UInt8], _ place: ClientPlace
    ) -> TailoredRecordsDecision {
        var data = prefix
        var ttl = UInt32.max
        for case (let family, let table?) in tables {
            let selection = model.select(table, place, records.rule, nameHash: records.steeringHash, words)
            let addresses = selection.slots.compactMap { model.address(slot: $0, family) }
            guard !addresses.isEmpty else { continue }
            ttl = min(ttl, selection.ttl)
            let key: ServiceKey = family == .v4 ? .ipv4hint : .ipv6hint
            data += [0, UInt8(key.rawValue), 0, UInt8(addresses.count * family.byteCount)]
            for address in addresses { data += address.bytes }
        }
        guard ttl != .max else { return .refused }
        let length = [UInt8(data.count >> 8), UInt8(data.count & 255)]
        return .records(TailoredRRset(type: records.type, data: length + data, ttl: ttl, scope: place.replyScope))
    }
}
