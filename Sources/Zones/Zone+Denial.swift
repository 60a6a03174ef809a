package import DNSWire

extension Zone {
    /// How a zone proves that a name or type does not exist.
    enum Denial: Sendable {
        /// The zone is not signed.
        case none
        case nsec(NSECOrder)
        case nsec3(NSEC3Chain)

        /// The type of the denial records.
        var type: RecordType {
            switch self {
            case .nsec3: .nsec3
            case .none, .nsec: .nsec
            }
        }
    }

    /// Whether the zone can prove nonexistence.
    package var isSigned: Bool {
        if case .none = denial { false } else { true }
    }

    /// The type of the zone's denial records.
    package var proofType: RecordType { denial.type }

    /// The parts of a zone from which its denial index is built.
    struct Contents {
        let names: NameTable
        var nodes: [Node]
        var rrsets: [RRset]
        var data: [UInt8]

        func rrset(at node: Int, _ type: RecordType) -> RRset? {
            for index in nodes[node].rrsets where rrsets[Int(index)].type == type { return rrsets[Int(index)] }
            return nil
        }

        /// The RDATA of each record.
        func forEachRecord(of set: RRset, _ body: (UnsafeRawBufferPointer) -> Void) {
            data.withUnsafeBytes { bytes in
                let all = UnsafeRawBufferPointer(rebasing: bytes[Int(set.data.lowerBound)..<Int(set.data.upperBound)])
                forEachData(all, body)
            }
        }

        /// Sorts the signatures of every name by the type they cover, so that those of one type are adjacent.
        mutating func sortSignatures() {
            for set in rrsets where set.type == .rrsig {
                var records: [[UInt8]] = []
                forEachRecord(of: set) { records.append(Array($0)) }
                // The covered type is the first field of the RDATA (RFC 4034, section 3.1).
                records.sort { $0.lexicographicallyPrecedes($1) }
                var position = Int(set.data.lowerBound)
                for record in records {
                    data[position] = UInt8(truncatingIfNeeded: record.count >> 8)
                    data[position + 1] = UInt8(truncatingIfNeeded: record.count)
                    data.replaceSubrange(position + 2..<position + 2 + record.count, with: record)
                    position += 2 + record.count
                }
            }
        }

        mutating func capTTLs() {
            for index in rrsets.indices where rrsets[index].ttl > Zone.maximumTTL {
                rrsets[index].ttl = Zone.maximumTTL
            }
        }

        /// Indexes the NSEC3 records that match the apex's NSEC3PARAM; without one, the NSEC records.
        ///
        /// - Throws: `ZoneError` if hashing a name would take too long.
        mutating func indexDenial(apex: DomainName) throws(ZoneError) -> Denial {
            if let set = rrset(at: 0, .nsec3param) {
                var parameters: [NSEC3Parameters] = []
                forEachRecord(of: set) { data in
                    // A chain with other flags is not complete (RFC 5155, section 4.1.2).
                    if data.count > 1, data[1] == 0, let some = NSEC3Parameters(data) { parameters.append(some) }
                }
                let excess = parameters.map(\.iterations).max() ?? 0
                guard excess <= NSEC3Parameters.maximumIterations else {
                    throw ZoneError(
                        name: apex,
                        message:
                            "has NSEC3PARAM with \(excess) iterations, and \(NSEC3Parameters.maximumIterations) are "
                            + "the most that is served; sign the zone with 0 iterations, as RFC 9276 asks")
                }
                for parameters in parameters {
                    if let chain = indexNSEC3(parameters) { return .nsec3(chain) }
                }
            }
            let owners = nodes.indices.filter { rrset(at: $0, .nsec) != nil }.map { Int32($0) }
            return owners.isEmpty ? .none : .nsec(NSECOrder(owners, names: names))
        }

        private mutating func indexNSEC3(_ parameters: NSEC3Parameters) -> NSEC3Chain? {
            var records: [(digest: SHA1.Digest, owner: Int)] = []
            for node in nodes.indices {
                guard let set = rrset(at: node, .nsec3) else { continue }
                var isOfChain = false
                forEachRecord(of: set) { if NSEC3Parameters($0) == parameters { isOfChain = true } }
                if isOfChain, let digest = names.withName(at: node, NSEC3Parameters.digest(ofOwner:)) {
                    records.append((digest, node))
                }
            }
            guard !records.isEmpty else { return nil }
            hideHashedOwners()
            return NSEC3Chain(parameters, records, names: names, count: nodes.count) { node in
                !nodes[node].isHashedOwner && (nodes[node].boundary < 0 || Int(nodes[node].boundary) == node)
            }
        }

        /// Marks names that exist only as owners of NSEC3 records. Queries must not see them (RFC 5155, section 7.2.8).
        private mutating func hideHashedOwners() {
            for node in nodes.indices.dropFirst() {
                var (hasNSEC3, hasOther) = (false, false)
                for index in nodes[node].rrsets {
                    let type = rrsets[Int(index)].type
                    if type == .nsec3 { hasNSEC3 = true } else if type != .rrsig { hasOther = true }
                }
                nodes[node].isHashedOwner = hasNSEC3 && !hasOther
            }
            // A name with another name below it exists because of that one.
            LookupName.withScratch { name in
                for node in nodes.indices.dropFirst() {
                    names.withName(at: node) { name.load($0) }
                    if let parent = names.find(name, from: 1) { nodes[parent].isHashedOwner = false }
                }
            }
        }
    }
}

/// Calls `body` with the RDATA of each record of an RRset, given in the form that the message writer takes.
@inlinable
package func forEachData(_ data: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
    var position = 0
    while position < data.count {
        let end = position + 2 + Int(data.number(at: position))
        body(UnsafeRawBufferPointer(rebasing: data[(position + 2)..<end]))
        position = end
    }
}
