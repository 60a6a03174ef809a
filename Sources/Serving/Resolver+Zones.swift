import DNSWire

/// Most aliases that are followed for one query.
private let maximumHops = 8

/// What answers ANY at a name whose only data are tailored (RFC 8482, section 4.2): one record of RDATA "RFC8482" "".
private let anyHINFO: [UInt8] = [0, 9, 7] + Array("RFC8482".utf8) + [0]
private let anyHINFOTTL: UInt32 = 3600

extension Resolver {
    /// Answers `name`, which holds the lower-cased form of `original`, from the zones. `name` is reused for aliases.
    func answerFromZones(
        _ name: inout LookupName, _ original: UnsafeRawBufferPointer, _ type: RecordType, _ writer: inout MessageWriter
    ) -> Verdict {
        guard var zone = responsibleZone(name, type) else {
            return writer.fail(.refused, .refused, because: .notAuthoritative)
        }
        writer.isAuthoritative = true
        var owner = MessageWriter.Owner.question
        var original = original
        // Hashes of the names passed: a chain that comes back ends.
        var passed = InlineArray<8, UInt32>(repeating: 0)
        for hop in 0..<maximumHops {
            passed[hop] = name.hash(0)
            switch zone.find(name, type) {
            case .data(let set): return answerData(zone, set, owner, &writer)
            case .noData: return answerNegative(zone, .noError, .noData, &writer)
            case .nxDomain: return answerNegative(zone, .nxDomain, .nxDomain, &writer)
            case .referral(let node, let delegation):
                // AA speaks for the first owner of the answer section.
                writer.isAuthoritative = hop > 0
                return refer(zone, node, delegation, &writer)
            case .onlyTailored:
                return anyHINFO.withUnsafeBytes {
                    writer.appendRRset(owner, type: .hinfo, ttl: anyHINFOTTL, data: $0, to: .answer)
                } ? .answeredStatic : writer.truncate()
            case .alias(let set):
                guard append(zone, set, owner, .answer, &writer) else { return writer.truncate() }
                // The target's name: the only RDATA, after its length.
                zone.withData(set) { name.load(UnsafeRawBufferPointer(rebasing: $0[2...])) }
            case .dname(let node, let set):
                if let verdict = redirect(zone, node, set, owner, original, &name, &writer) { return verdict }
                if type == .cname || type == .any { return .answeredStatic }
            }
            for earlier in 0...hop where passed[earlier] == name.hash(0) { return .answeredStatic }
            guard tailored.tailoredIndex(of: name.suffix(0)) == nil, let next = responsibleZone(name, type),
                isOpen(next, after: zone)
            else { return .answeredStatic }
            zone = next
            original = name.suffix(0)
            owner = .name(original)
        }
        return .answeredStatic
    }

    /// The closest zone; for DS at an apex the zone above, when that is served too (RFC 4035, section 3.1.4.1).
    func responsibleZone(_ name: LookupName, _ type: RecordType) -> Zone? {
        guard let zone = zones.find(name) else { return nil }
        guard type == .ds, zone.apexLabelCount == name.labelCount, name.labelCount > 0 else { return zone }
        return zones.find(name, skipping: 1) ?? zone
    }

    private func append(
        _ zone: Zone, _ set: Zone.RRset, _ owner: MessageWriter.Owner, _ section: MessageWriter.Section,
        _ writer: inout MessageWriter
    ) -> Bool {
        zone.withData(set) { writer.appendRRset(owner, type: set.type, ttl: set.ttl, data: $0, to: section) }
    }

    private func answerData(
        _ zone: Zone, _ set: Zone.RRset, _ owner: MessageWriter.Owner, _ writer: inout MessageWriter
    ) -> Verdict {
        append(zone, set, owner, .answer, &writer) ? .answeredStatic : writer.truncate()
    }

    /// The SOA tells how long the negative answer may be kept (RFC 2308, section 3).
    private func answerNegative(
        _ zone: Zone, _ code: ResponseCode, _ verdict: Verdict, _ writer: inout MessageWriter
    ) -> Verdict {
        writer.responseCode = code
        let written = zone.apex.wire.withUnsafeBytes { apex in
            zone.withData(zone.soa) {
                writer.appendRRset(.name(apex), type: .soa, ttl: zone.negativeTTL, data: $0, to: .authority)
            }
        }
        return written ? verdict : writer.truncate()
    }

    /// Writes the DNAME and the CNAME made from it, and loads the new name (RFC 6672, section 3.2). Returns the verdict where
    /// the answer ends here.
    private func redirect(
        _ zone: Zone, _ node: Int, _ set: Zone.RRset, _ owner: MessageWriter.Owner, _ original: UnsafeRawBufferPointer,
        _ name: inout LookupName, _ writer: inout MessageWriter
    ) -> Verdict? {
        let (ownerLength, written) = zone.names.withName(at: node) { dnameOwner in
            (dnameOwner.count, append(zone, set, .name(dnameOwner), .answer, &writer))
        }
        guard written else { return writer.truncate() }
        let target = zone.withData(set) { original.prefix(original.count - ownerLength) + Array($0.dropFirst(2)) }
        guard target.count <= DomainName.maximumLength else {
            writer.responseCode = .yxDomain
            return .yxDomain
        }
        let data = [0, UInt8(target.count)] + target
        return data.withUnsafeBytes { data in
            guard writer.appendRRset(owner, type: .cname, ttl: set.ttl, data: data, to: .answer) else {
                return writer.truncate()
            }
            name.load(UnsafeRawBufferPointer(rebasing: data[2...]))
            return nil
        }
    }

    /// Writes the delegation and the addresses of its servers that the zone has.
    private func refer(_ zone: Zone, _ node: Int, _ delegation: Zone.RRset, _ writer: inout MessageWriter) -> Verdict {
        let written = zone.names.withName(at: node) { append(zone, delegation, .name($0), .authority, &writer) }
        guard written else { return writer.truncate() }
        let complete = LookupName.withScratch { server in
            appendGlue(zone, node, delegation, inDomain: true, &server, &writer)
                && (appendGlue(zone, node, delegation, inDomain: false, &server, &writer) || true)
        }
        return complete ? .referral : writer.truncate()
    }

    /// Appends the addresses of the servers at or below the delegation, or of the others; `false` when one did not fit. Glue
    /// in the domain must be whole, and goes first; the rest is a courtesy (RFC 9471, section 2).
    private func appendGlue(
        _ zone: Zone, _ node: Int, _ delegation: Zone.RRset, inDomain: Bool, _ server: inout LookupName,
        _ writer: inout MessageWriter
    ) -> Bool {
        zone.withData(delegation) { data in
            var position = 0
            var complete = true
            while position < data.count {
                let end = position + 2 + (Int(data[position]) << 8 | Int(data[position + 1]))
                server.load(UnsafeRawBufferPointer(rebasing: data[(position + 2)..<end]))
                position = end
                guard let target = zone.names.find(server, from: 0) else { continue }
                guard (Int(zone.nodes[target].boundary) == node) == inDomain else { continue }
                for type in [RecordType.a, .aaaa] {
                    guard let set = zone.rrset(at: target, type) else { continue }
                    complete = append(zone, set, .name(server.suffix(0)), .additional, &writer) && complete
                }
            }
            return complete
        }
    }
}
