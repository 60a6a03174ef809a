import DNSWire
import Zones

extension RecordType {
    /// Offset in the RDATA of the host name whose addresses are added; `nil` if there is none.
    fileprivate var additionalOffset: Int? {
        switch self {
        case .ns: 0
        case .mx, .svcb, .https: 2
        case .srv: 6
        default: nil
        }
    }
}

extension Resolver {
    /// Appends the addresses of the hosts in an answer, if they are served here and there is room (RFC 1034, section
    /// 4.3.2, step 6; RFC 2782; RFC 9460, section 4.1).
    ///
    /// - Parameters:
    ///   - data: The records of the answer, in the form that the message writer takes.
    ///   - name: The owner of the answer. It is the target of an SVCB record whose TargetName is the root.
    func appendAdditional(
        _ zone: Zone, _ type: RecordType, _ data: UnsafeRawBufferPointer, _ name: LookupName, _ reply: inout ZoneReply
    ) {
        guard let offset = type.additionalOffset else { return }
        LookupName.withScratch { host in
            forEachData(data) { record in
                guard let length = DomainName.wireLength(in: record, at: offset) else { return }
                host.load(UnsafeRawBufferPointer(rebasing: record[offset..<offset + length]))
                let isBinding = type == .svcb || type == .https
                let isAlias = isBinding && record.number(at: 0) == 0
                if isBinding, host.labelCount == 0 {
                    // A root TargetName in AliasMode means that there is no service; in ServiceMode it means the owner
                    // (RFC 9460, section 2.5).
                    guard !isAlias else { return }
                    host.load(name.suffix(0))
                }
                appendHost(host, of: zone, type, alias: isAlias ? type : nil, &reply)
            }
        }
    }

    /// Appends the addresses of a host; for an AliasMode record, also the SVCB or HTTPS records there.
    private func appendHost(
        _ host: LookupName, of asked: Zone, _ origin: RecordType, alias: RecordType?, _ reply: inout ZoneReply
    ) {
        guard let zone = zones.find(host), isOpen(zone, after: asked) else { return }
        let match = zone.match(host)
        // Each synthesised address would need a proof.
        guard !match.isSynthesised else { return }
        let isGlue = !zone.isAuthoritative(at: match.encloser)
        // Glue is used only to find name servers.
        guard !isGlue || origin == .ns else { return }
        append(zone, match.encloser, alias, isGlue, host, &reply)
        if let index = tailored.tailoredIndex(of: host.suffix(0)) {
            appendTailored(index, .a, host, &reply)
            appendTailored(index, .aaaa, host, &reply)
            return
        }
        append(zone, match.encloser, .a, isGlue, host, &reply)
        append(zone, match.encloser, .aaaa, isGlue, host, &reply)
    }

    /// Appends the addresses that a direct query from the same client would get.
    private func appendTailored(_ index: Int, _ type: RecordType, _ host: LookupName, _ reply: inout ZoneReply) {
        let decision = tailored.decide(
            index: index, type: type, client: reply.asker.client, subnet: reply.asker.subnet, nameHash: nil)
        guard case .answer(let answer) = decision, !answer.addresses.isEmpty else { return }
        reply.appendTailored(index, answer, type, as: host)
    }

    /// Appends an RRset if it exists and fits. The additional section is cut without setting TC (RFC 2181, section 9).
    private func append(
        _ zone: Zone, _ node: Int, _ type: RecordType?, _ isGlue: Bool, _ host: LookupName, _ reply: inout ZoneReply
    ) {
        guard let type, let set = zone.rrset(at: node, type) else { return }
        _ =
            isGlue
            ? reply.appendGlue(zone, set, as: .name(host.suffix(0))) : reply.append(zone, node, set, to: .additional)
    }
}
