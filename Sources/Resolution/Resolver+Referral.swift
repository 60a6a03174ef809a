import DNSWire
import Zones

extension Resolver {
    /// Writes a referral: the NS of the delegation, its DS or the proof that it has none, and the glue in the zone.
    func refer(
        _ zone: Zone, _ node: Int, _ delegation: Zone.RRset, _ name: LookupName, _ reply: inout ZoneReply
    ) -> Verdict {
        guard
            reply.append(zone, node, delegation, to: .authority), appendTrust(zone, node, name, &reply),
            reply.appendPostponed()
        else { return reply.truncate() }
        let complete = LookupName.withScratch { server in
            appendGlue(zone, node, delegation, inDomain: true, &server, &reply)
                && (appendGlue(zone, node, delegation, inDomain: false, &server, &reply) || true)
        }
        return complete ? .referral : reply.truncate()
    }

    /// Appends the DS of a delegation, or the proof that there is none (RFC 4035, section 3.1.4).
    private func appendTrust(_ zone: Zone, _ node: Int, _ name: LookupName, _ reply: inout ZoneReply) -> Bool {
        // An unsigned zone has no chain of trust.
        guard reply.wantsSignatures, zone.isSigned else { return true }
        if let set = zone.rrset(at: node, .ds) { return reply.append(zone, node, set, to: .authority) }
        return reply.append(zone, zone.proveUnsigned(node, name))
    }

    /// Appends the addresses of the servers at or below the delegation (`inDomain`), or of the others; `false` if one
    /// did not fit. In-domain glue must be complete and goes first; the rest is optional (RFC 9471, section 2).
    private func appendGlue(
        _ zone: Zone, _ node: Int, _ delegation: Zone.RRset, inDomain: Bool, _ server: inout LookupName,
        _ reply: inout ZoneReply
    ) -> Bool {
        zone.withData(delegation) { data in
            var position = 0
            var complete = true
            while position < data.count {
                let end = position + 2 + Int(data.number(at: position))
                server.load(UnsafeRawBufferPointer(rebasing: data[(position + 2)..<end]))
                position = end
                guard let target = zone.names.find(server, from: 0) else { continue }
                guard (Int(zone.nodes[target].boundary) == node) == inDomain else { continue }
                complete = appendAddresses(zone, target, server, &reply) && complete
            }
            return complete
        }
    }

    private func appendAddresses(
        _ zone: Zone, _ node: Int, _ server: LookupName, _ reply: inout ZoneReply
    ) -> Bool {
        let hasV4 = appendAddresses(zone, node, .a, server, &reply)
        return appendAddresses(zone, node, .aaaa, server, &reply) && hasV4
    }

    /// Addresses that the zone is authoritative for are sent with their signatures; those below a zone cut are glue.
    private func appendAddresses(
        _ zone: Zone, _ node: Int, _ type: RecordType, _ server: LookupName, _ reply: inout ZoneReply
    ) -> Bool {
        guard let set = zone.rrset(at: node, type) else { return true }
        return zone.isAuthoritative(at: node)
            ? reply.append(zone, node, set, to: .additional)
            : reply.appendGlue(zone, set, as: .name(server.suffix(0)))
    }
}
