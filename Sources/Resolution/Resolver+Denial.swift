import DNSWire
import Zones

extension Resolver {
    /// NODATA: the name or a wildcard for it exists, but not the type (RFC 2308, section 2.2).
    func answerNoData(
        _ zone: Zone, _ match: Zone.Match, _ name: LookupName, _ reply: inout ZoneReply
    ) -> Verdict {
        guard appendSOA(zone, &reply) else { return reply.truncate() }
        guard reply.wantsSignatures else { return .noData }
        return reply.append(zone, zone.proveNoData(name, match)) ? .noData : reply.truncate()
    }

    /// NXDOMAIN: the name does not exist (RFC 2308, section 2.1). After aliases, this refers to the last name (RFC
    /// 6604).
    func answerNoName(
        _ zone: Zone, _ match: Zone.Match, _ name: LookupName, _ reply: inout ZoneReply
    ) -> Verdict {
        reply.writer.responseCode = .nxDomain
        guard appendSOA(zone, &reply) else { return reply.truncate() }
        guard reply.wantsSignatures else { return .nxDomain }
        return reply.append(zone, zone.proveNoName(name, match)) ? .nxDomain : reply.truncate()
    }

    /// The SOA determines how long the negative answer may be cached (RFC 2308, section 3).
    private func appendSOA(_ zone: Zone, _ reply: inout ZoneReply) -> Bool {
        zone.apex.wire.withUnsafeBytes {
            reply.append(zone, 0, zone.soa, as: .name($0), ttl: zone.negativeTTL, to: .authority)
        }
    }
}
