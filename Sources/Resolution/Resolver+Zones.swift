import DNSWire
import Zones

/// The maximum number of names in one answer: the query name and the targets of aliases.
private let maximumHops = 16

/// The answer to ANY at a name with tailored records only (RFC 8482, section 4.2): one record with RDATA "RFC8482" "".
private let anyHINFO: [UInt8] = [0, 9, 7] + Array("RFC8482".utf8) + [0]
private let anyHINFOTTL: UInt32 = 3600

extension Resolver {
    /// Answers `name`, the lower-case form of `original`, from the zones. `name` is overwritten when aliases are
    /// followed.
    func answerFromZones(
        _ name: inout LookupName, _ original: UnsafeRawBufferPointer, _ type: RecordType, _ asker: Asker,
        _ writer: inout MessageWriter
    ) -> Verdict {
        guard let zone = responsibleZone(name, type) else {
            return writer.fail(.refused, .refused, because: .notAuthoritative)
        }
        var reply = ZoneReply(writer, for: asker)
        var verdict = follow(zone, &name, original, type, &reply)
        if verdict != .truncated, !reply.appendPostponed() { verdict = reply.truncate() }
        writer = reply.finish()
        return verdict
    }

    /// Answers from `zone`, and follows aliases as long as their targets are in zones served here and are not tailored.
    ///
    /// - Parameter isTarget: Whether an alias in the reply led here, so that `name` is not the query name.
    func follow(
        _ zone: Zone, _ name: inout LookupName, _ original: UnsafeRawBufferPointer, _ type: RecordType,
        isTarget: Bool = false, _ reply: inout ZoneReply
    ) -> Verdict {
        var zone = zone
        var original = original
        var owner = isTarget ? MessageWriter.Owner.name(original) : .question
        reply.writer.isAuthoritative = true
        // Hashes of the names already followed. They end an alias loop.
        var passed = InlineArray<16, UInt32>(repeating: 0)
        for hop in 0..<maximumHops {
            passed[hop] = name.hash(0)
            let match = zone.match(name)
            switch zone.find(match, type) {
            case .data(let set): return answerData(zone, match, set, owner, name, &reply)
            case .noData: return answerNoData(zone, match, name, &reply)
            case .nxDomain: return answerNoName(zone, match, name, &reply)
            case .referral(let node, let delegation):
                // AA refers to the first owner in the answer section.
                reply.writer.isAuthoritative = hop > 0 || isTarget
                return refer(zone, node, delegation, name, &reply)
            case .onlyTailored: return answerAny(owner, &reply)
            case .alias(let set):
                guard appendAnswer(zone, match, set, owner, name, &reply) else { return reply.truncate() }
                // The target is the whole RDATA, which follows a two-byte length.
                zone.withData(set) { name.load(UnsafeRawBufferPointer(rebasing: $0[2...])) }
            case .dname(let node, let set):
                if let verdict = redirect(zone, node, set, owner, original, &name, &reply) { return verdict }
                if type == .cname || type == .any { return .answeredStatic }
            }
            for earlier in 0...hop where passed[earlier] == name.hash(0) { return .answeredStatic }
            guard !isTailored(name), let next = responsibleZone(name, type), isOpen(next, after: zone)
            else { return .answeredStatic }
            zone = next
            original = name.suffix(0)
            owner = .name(original)
        }
        return .answeredStatic
    }

    /// The closest zone at or above the name. For DS at an apex, the parent zone if it is served too (RFC 4035, section
    /// 3.1.4.1).
    func responsibleZone(_ name: LookupName, _ type: RecordType) -> Zone? {
        guard let zone = zones.find(name) else { return nil }
        guard type == .ds, zone.apexLabelCount == name.labelCount, name.labelCount > 0 else { return zone }
        return zones.find(name, skipping: 1) ?? zone
    }

    private func answerData(
        _ zone: Zone, _ match: Zone.Match, _ set: Zone.RRset, _ owner: MessageWriter.Owner, _ name: LookupName,
        _ reply: inout ZoneReply
    ) -> Verdict {
        let written =
            set.type == .rrsig
            ? zone.appendSignatures(at: match.source ?? match.encloser, set, owner, &reply.writer)
            : appendAnswer(zone, match, set, owner, name, &reply)
        guard written, reply.appendPostponed() else { return reply.truncate() }
        zone.withData(set) { appendAdditional(zone, set.type, $0, name, &reply) }
        return .answeredStatic
    }

    /// Appends the data of a name; for a wildcard, also the proof that the name itself does not exist.
    private func appendAnswer(
        _ zone: Zone, _ match: Zone.Match, _ set: Zone.RRset, _ owner: MessageWriter.Owner, _ name: LookupName,
        _ reply: inout ZoneReply
    ) -> Bool {
        guard let source = match.source else { return true }
        if !match.isSynthesised { _ = reply.enter(zone, set) }
        guard reply.append(zone, source, set, as: owner, to: .answer) else { return false }
        if match.isSynthesised, reply.wantsSignatures { reply.postpone(zone, zone.proveSynthesis(name, match)) }
        return true
    }

    private func answerAny(_ owner: MessageWriter.Owner, _ reply: inout ZoneReply) -> Verdict {
        let written = anyHINFO.withUnsafeBytes {
            reply.writer.appendRRset(owner, type: .hinfo, ttl: anyHINFOTTL, data: $0, to: .answer)
        }
        return written ? .answeredStatic : reply.truncate()
    }
}

extension Zone {
    /// Answers a query for RRSIG: the signatures of each type, with the TTL of the RRset they cover.
    fileprivate func appendSignatures(
        at node: Int, _ all: RRset, _ owner: MessageWriter.Owner, _ writer: inout MessageWriter
    ) -> Bool {
        var position = Int(all.data.lowerBound)
        while position < Int(all.data.upperBound) {
            let covered = withData(position..<position + 4) { RecordType(rawValue: $0.number(at: 2)) }
            guard let signatures = signatures(at: node, of: covered) else { return true }
            let ttl = rrset(at: node, covered)?.ttl ?? all.ttl
            guard
                withData(
                    signatures, { writer.appendRRset(owner, type: .rrsig, ttl: ttl, data: $0, to: .answer) })
            else { return false }
            position = signatures.upperBound
        }
        return true
    }
}
