import DNSWire
import Zones

/// A reply from the zones under construction: the message, and the RRsets that it already contains.
struct ZoneReply: ~Copyable {
    var writer: MessageWriter
    /// The client. Tailored data depend on it.
    let asker: Asker
    /// Whether the client gets signatures and proofs: the DO bit (RFC 3225).
    let wantsSignatures: Bool
    /// RRsets that were written under their own names, so that none is added twice. If the lists are full, a repeated
    /// RRset only makes the reply longer.
    private var zones = InlineArray<24, UInt>(repeating: 0)
    private var places = InlineArray<24, UInt32>(repeating: 0)
    private var count = 0
    /// Owners of the proofs that wildcards in the answer need, one per name of the alias chain. They are appended once
    /// the answer section is complete. The resolver keeps the zones alive until then.
    private var proofZones = InlineArray<16, Unmanaged<Zone>?>(repeating: nil)
    private var proofOwners = InlineArray<16, Int>(repeating: 0)
    private var proofCount = 0

    init(_ writer: consuming MessageWriter, for asker: Asker) {
        self.asker = asker
        wantsSignatures = writer.edns?.dnssecOK == true
        self.writer = writer
    }

    /// Returns the message.
    consuming func finish() -> MessageWriter { writer }

    /// Appends an RRset of a node with its signatures, under the node's name, unless the reply already contains it.
    ///
    /// - Returns: Whether the reply contains it.
    mutating func append(
        _ zone: Zone, _ node: Int, _ set: Zone.RRset, to section: MessageWriter.Section
    ) -> Bool {
        guard enter(zone, set) else { return true }
        let written = zone.names.withName(at: node) { append(zone, node, set, as: .name($0), to: section) }
        if !written { forget() }
        return written
    }

    /// Appends an RRset of a node with its signatures, under another owner: both, or neither if they do not fit. In the
    /// additional section, signatures are dropped first (RFC 4035, section 3.1.1).
    mutating func append(
        _ zone: Zone, _ node: Int, _ set: Zone.RRset, as owner: MessageWriter.Owner, ttl: UInt32? = nil,
        to section: MessageWriter.Section
    ) -> Bool {
        let ttl = ttl ?? set.ttl
        let mark = writer.mark
        guard zone.withData(set, { writer.appendRRset(owner, type: set.type, ttl: ttl, data: $0, to: section) }) else {
            return false
        }
        guard wantsSignatures, let signatures = zone.signatures(at: node, of: set.type) else { return true }
        // A signature has the TTL of the RRset it covers (RFC 4034, section 3).
        if zone.withData(signatures, { writer.appendRRset(owner, type: .rrsig, ttl: ttl, data: $0, to: section) })
            || section == .additional
        {
            return true
        }
        writer.rollBack(to: mark)
        return false
    }

    /// Appends glue, which has no signatures.
    ///
    /// - Returns: Whether the reply contains it.
    mutating func appendGlue(
        _ zone: Zone, _ set: Zone.RRset, as owner: MessageWriter.Owner
    ) -> Bool {
        guard enter(zone, set) else { return true }
        let written = zone.withData(set) {
            writer.appendRRset(owner, type: set.type, ttl: set.ttl, data: $0, to: .additional)
        }
        if !written { forget() }
        return written
    }

    /// Appends addresses that were chosen for this client, and narrows the reply's scope to its network. Addresses that
    /// do not fit are left out.
    mutating func appendTailored(_ index: Int, _ answer: TailoredAnswer, _ type: RecordType, as host: LookupName) {
        // No zone has the address 0.
        guard enter(0, UInt32(index) << 1 | (type == .a ? 0 : 1)) else { return }
        if writer.appendAddresses(.name(host.suffix(0)), answer.addresses, ttl: answer.ttl, to: .additional) {
            writer.narrowScope(to: answer.scope, for: asker)
        } else {
            forget()
        }
    }

    /// Appends the records of a proof; `false` if one did not fit.
    mutating func append(_ zone: Zone, _ proof: Zone.Proof) -> Bool {
        for index in 0..<proof.count {
            guard appendProof(zone, proof.owners[index]) else { return false }
        }
        return true
    }

    private mutating func appendProof(_ zone: Zone, _ owner: Int) -> Bool {
        guard let set = zone.rrset(at: owner, zone.proofType) else { return true }
        return append(zone, owner, set, to: .authority)
    }

    /// Defers a proof until the answer section is complete.
    mutating func postpone(_ zone: Zone, _ proof: Zone.Proof) {
        for index in 0..<proof.count where proofCount < proofOwners.count {
            proofZones[proofCount] = .passUnretained(zone)
            proofOwners[proofCount] = proof.owners[index]
            proofCount += 1
        }
    }

    /// Appends the deferred proofs, after the answer section is complete; `false` if one did not fit.
    mutating func appendPostponed() -> Bool {
        for index in 0..<proofCount {
            guard let zone = proofZones[index]?.takeUnretainedValue() else { continue }
            guard appendProof(zone, proofOwners[index]) else { return false }
        }
        proofCount = 0
        return true
    }

    /// Registers an RRset; `false` if it was registered before.
    mutating func enter(_ zone: Zone, _ set: Zone.RRset) -> Bool {
        enter(UInt(bitPattern: ObjectIdentifier(zone)), set.data.lowerBound)
    }

    private mutating func enter(_ identity: UInt, _ place: UInt32) -> Bool {
        for index in 0..<count where places[index] == place && zones[index] == identity { return false }
        if count < zones.count {
            zones[count] = identity
            places[count] = place
        }
        count = min(count + 1, zones.count)
        return true
    }

    /// Removes the newest entry. If the list is full, it may be that of another RRset, which is then only registered
    /// again.
    private mutating func forget() { count -= 1 }

    mutating func truncate() -> Verdict { writer.truncate() }
}
