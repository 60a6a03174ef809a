import DNSWire
import IPNetworks
import Zones

/// The client that a query is answered for.
struct Asker {
    /// The sender's address.
    let client: IPAddress
    /// The client subnet as sent; `nil` for none. Source length 0 counts as none: the sender wants its own address to
    /// decide, and an answer that may be cached for every client (RFC 7871, section 7.1.2).
    let subnet: ClientSubnet?

    init(client: IPAddress, subnet: ClientSubnet?) {
        self.client = client
        self.subnet = subnet.flatMap { $0.sourceLength == 0 ? nil : $0 }
    }
}

extension Resolver {
    /// Whether alias resolution stops before `name`, because its data depend on the client or on nodes.
    func isTailored(_ name: LookupName) -> Bool {
        tailored.tailoredIndex(of: name.suffix(0)) != nil
            || tailored.recordsIndex(of: name.suffix(0), type: nil) != nil
            || tailored.wildcard(for: name, in: zones) != nil
    }

    /// Answers from the tailored names; `nil` if the zone must answer. `name` is overwritten with the target of an
    /// alias, `node` with the slot of the node that the answer leads to.
    func answerTailored(
        _ name: inout LookupName, _ type: RecordType, _ asker: Asker, _ writer: inout MessageWriter,
        _ node: inout Int?
    ) -> Verdict? {
        let isAddress = type == .a || type == .aaaa
        if isAddress, let index = tailored.tailoredIndex(of: name.suffix(0)) {
            return answerAddresses(index, nil, type, asker, &writer, &node)
        }
        if let index = tailored.recordsIndex(of: name.suffix(0), type: type) {
            return answerRecords(index, nil, &name, type, asker, &writer, &node)
        }
        // A name with an entry of its own exists, so no wildcard covers it.
        guard let wildcard = tailored.wildcard(for: name, type, in: zones) else { return nil }
        if isAddress, let index = wildcard.addresses {
            return answerAddresses(index, wildcard.nameHash, type, asker, &writer, &node)
        }
        guard let index = wildcard.records else { return nil }
        return answerRecords(index, wildcard.nameHash, &name, type, asker, &writer, &node)
    }

    private func answerRecords(
        _ index: Int, _ nameHash: UInt64?, _ name: inout LookupName, _ type: RecordType, _ asker: Asker,
        _ writer: inout MessageWriter, _ node: inout Int?
    ) -> Verdict? {
        let decision = tailored.decideRecords(
            index: index, type: type, client: asker.client, subnet: asker.subnet, nameHash: nameHash)
        switch decision {
        case .notTailored: return nil
        case .refused: return writer.fail(.refused, .refused)
        case .records(let set):
            node = set.node
            return answer(set, &name, type, asker, &writer)
        }
    }

    private func answerAddresses(
        _ index: Int, _ nameHash: UInt64?, _ type: RecordType, _ asker: Asker, _ writer: inout MessageWriter,
        _ node: inout Int?
    ) -> Verdict? {
        let decision = tailored.decide(
            index: index, type: type, client: asker.client, subnet: asker.subnet, nameHash: nameHash)
        switch decision {
        case .noData: return nil
        case .refused: return writer.fail(.refused, .refused)
        case .answer(let answer):
            guard !answer.addresses.isEmpty else { return nil }
            node = answer.node
            writer.isAuthoritative = true
            writer.narrowScope(to: answer.scope, for: asker)
            guard writer.appendAddresses(.question, answer.addresses, ttl: answer.ttl, to: .answer) else {
                return writer.truncate()
            }
            return .answeredTailored
        }
    }

    /// Writes a tailored RRset, then its related data: that of an alias's target, or the addresses of the named hosts.
    private func answer(
        _ set: TailoredRRset, _ name: inout LookupName, _ type: RecordType, _ asker: Asker,
        _ writer: inout MessageWriter
    ) -> Verdict {
        writer.isAuthoritative = true
        writer.narrowScope(to: set.scope, for: asker)
        let written = set.data.withUnsafeBytes {
            writer.appendRRset(.question, type: set.type, ttl: set.ttl, data: $0, to: .answer)
        }
        guard written else { return writer.truncate() }
        guard let zone = zones.find(name) else { return .answeredTailored }
        var reply = ZoneReply(writer, for: asker)
        var verdict = Verdict.answeredTailored
        if set.type != .cname {
            set.data.withUnsafeBytes { appendAdditional(zone, set.type, $0, name, &reply) }
        } else if type != .cname, type != .any {
            // The target is the whole RDATA, which follows a two-byte length.
            set.data.withUnsafeBytes { name.load(UnsafeRawBufferPointer(rebasing: $0[2...])) }
            if !isTailored(name), let next = responsibleZone(name, type), isOpen(next, after: zone) {
                verdict = follow(next, &name, name.suffix(0), type, isTarget: true, &reply)
                if verdict != .truncated, !reply.appendPostponed() { verdict = reply.truncate() }
            }
        }
        writer = reply.finish()
        return verdict == .answeredStatic ? .answeredTailored : verdict
    }
}

extension MessageWriter {
    /// Reduces the scope of the reply to `scope`, because part of it depends on the client's location. Never widens it
    /// again.
    mutating func narrowScope(to scope: UInt8, for asker: Asker) {
        guard asker.subnet != nil, let subnet = edns?.clientSubnet else { return }
        edns?.clientSubnet?.scopeLength = max(subnet.scopeLength, scope)
    }
}
