import DNSWire
import Zones

/// A reply under way from the zones: the message, and what of the zones it holds already.
struct ZoneReply: ~Copyable {
    var writer: MessageWriter
    /// Who asks: tailored data depend on it.
    let asker: Asker
    /// Whether signatures and proofs are sent: the DO bit (RFC 3225).
    let wantsSignatures: Bool
    /// RRsets that were written under their own names: none goes in twice. When the lists are full a repeated RRset only makes
    /// the reply longer.
    private var zones = InlineArray<24, UInt>(repeating: 0)
    private var places = InlineArray<24, UInt32>(repeating: 0)
    private var count = 0
    /// Owners of the proofs that wildcards in the answer need, one a name of the chain: they wait until the answer section
    /// is complete. The zones live as long as the resolver that is answering, which holds them.
    private var proofZones = InlineArray<16, Unmanaged<Zone>?>(repeating: nil)
    private var proofOwners = InlineArray<16, Int>(repeating: 0)
    private var proofCount = 0

    init(_ writer: consuming MessageWriter, for asker: Asker) {
        self.asker = asker
        wantsSignatures = writer.edns?.dnssecOK == true
        self.writer = writer
    }

    /// Gives the message back.
    consuming func finish() -> MessageWriter { writer }

    /// Appends an RRset of a node with its signatures, under the node's name, unless it is there already.
    ///
    /// - Returns: Whether it is in the reply.
    mutating func append(
        _ zone: Zone, _ node: Int, _ set: Zone.RRset, to section: MessageWriter.Section
    ) -> Bool {
        guard enter(zone, set) else { return true }
        let written = zone.names.withName(at: node) { append(zone, node, set, as: .name($0), to: section) }
        if !written { forget() }
        return written
    }

    /// Appends an RRset of a node with its signatures, under another owner: both or, when they do not fit, neither. In the
    /// additional section the signatures are the first to go (RFC 4035, section 3.1.1).
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
        // A signature has the TTL of what it signs (RFC 4034, section 3).
        if zone.withData(signatures, { writer.appendRRset(owner, type: .rrsig, ttl: ttl, data: $0, to: section) })
            || section == .additional
        {
            return true
        }
        writer.rollBack(to: mark)
        return false
    }

    /// Appends addresses that the zone holds for others to be found: they have no signatures.
    ///
    /// - Returns: Whether they are in the reply.
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

    /// Appends addresses that were chosen for this client: the reply is then for its network alone. What does not fit is
    /// left out.
    mutating func appendTailored(_ index: Int, _ answer: TailoredAnswer, _ type: RecordType, as host: LookupName) {
        // No zone is at address 0.
        guard enter(0, UInt32(index) << 1 | (type == .a ? 0 : 1)) else { return }
        if writer.appendAddresses(.name(host.suffix(0)), answer.addresses, ttl: answer.ttl, to: .additional) {
            writer.narrowScope(to: answer.scope, for: asker)
        } else {
            forget()
        }
    }

    /// Appends the records of a proof; `false` when one did not fit.
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

    /// Keeps a proof until the answer section is complete.
    mutating func postpone(_ zone: Zone, _ proof: Zone.Proof) {
        for index in 0..<proof.count where proofCount < proofOwners.count {
            proofZones[proofCount] = .passUnretained(zone)
            proofOwners[proofCount] = proof.owners[index]
            proofCount += 1
        }
    }

    /// Appends the proofs that wait: the answer section is complete. `false` when one did not fit.
    mutating func appendPostponed() -> Bool {
        for index in 0..<proofCount {
            guard let zone = proofZones[index]?.takeUnretainedValue() else { continue }
            guard appendProof(zone, proofOwners[index]) else { return false }
        }
        proofCount = 0
        return true
    }

    /// Notes an RRset; `false` when it was noted before.
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

    /// Takes the newest note back. When the list is full that may be another's, which is only noted again.
    private mutating func forget() { count -= 1 }

    mutating func truncate() -> Verdict { writer.truncate() }
}
