import DNSWire

extension Zone {
    /// The owners of the NSEC or NSEC3 records of a proof: at most three.
    package struct Proof {
        package private(set) var owners = InlineArray<3, Int>(repeating: -1)
        package private(set) var count = 0

        mutating func add(_ owner: Int?) {
            guard let owner else { return }
            for index in 0..<count where owners[index] == owner { return }
            owners[count] = owner
            count += 1
        }
    }

    /// Proves that a name does not exist and that no wildcard matches it (RFC 4035, section 3.1.3.2; RFC 5155, section
    /// 7.2.2).
    package func proveNoName(_ name: LookupName, _ match: Match) -> Proof {
        var proof = Proof()
        switch denial {
        case .none: break
        case .nsec(let order):
            proof.add(order.owner(covering: name.suffix(0), names: names.base))
            LookupName.withScratch { wildcard in
                wildcard.load(name.suffix(match.label))
                guard wildcard.loadWildcard(belowSuffix: 0) else { return }
                proof.add(order.owner(covering: wildcard.suffix(0), names: names.base))
            }
        case .nsec3(let chain):
            let encloser = addClosestEncloser(chain, name, from: match.label, to: &proof)
            proof.add(chain.owner(coveringWildcardBelow: encloser))
        }
        return proof
    }

    /// Proves that a name exists but has no RRset of the requested type (RFC 4035, sections 3.1.3.1 and 3.1.3.4; RFC
    /// 5155, sections 7.2.3 to 7.2.5).
    package func proveNoData(_ name: LookupName, _ match: Match) -> Proof {
        var proof = Proof()
        switch denial {
        case .none: break
        case .nsec(let order):
            // The record at the name, or the one that covers an empty non-terminal.
            if match.isSynthesised { proof.add(order.owner(covering: name.suffix(0), names: names.base)) }
            guard let source = match.source else { break }
            names.withName(at: source) { proof.add(order.owner(covering: $0, names: names.base)) }
        case .nsec3(let chain):
            if match.isSynthesised {
                _ = addClosestEncloser(chain, name, from: match.label, to: &proof)
                proof.add(match.source.flatMap { chain.owner(matching: $0) })
            } else if let owner = chain.owner(matching: match.encloser) {
                proof.add(owner)
            } else {
                _ = addClosestEncloser(chain, name, from: 0, to: &proof)
            }
        }
        return proof
    }

    /// Proves that a name answered by a wildcard does not exist (RFC 4035, section 3.1.3.3; RFC 5155, section 7.2.6).
    package func proveSynthesis(_ name: LookupName, _ match: Match) -> Proof {
        var proof = Proof()
        switch denial {
        case .none: break
        case .nsec(let order): proof.add(order.owner(covering: name.suffix(0), names: names.base))
        case .nsec3(let chain): proof.add(chain.owner(covering: name.suffix(match.label - 1)))
        }
        return proof
    }

    /// Proves that the delegation at `node`, at or above `name`, is not signed (RFC 4035, section 3.1.4; RFC 5155,
    /// section 7.2.7).
    package func proveUnsigned(_ node: Int, _ name: LookupName) -> Proof {
        var proof = Proof()
        switch denial {
        case .none: break
        case .nsec: if rrset(at: node, .nsec) != nil { proof.add(node) }
        case .nsec3(let chain):
            if let owner = chain.owner(matching: node) {
                proof.add(owner)
            } else {
                var label = 0
                while names.find(name, from: label) != node { label += 1 }
                _ = addClosestEncloser(chain, name, from: label, to: &proof)
            }
        }
        return proof
    }

    /// Adds the record that matches the closest encloser, at or above `label`, and the record that covers the next
    /// closer name (RFC 5155, section 7.2.1). Names that opt-out left without a record are skipped.
    ///
    /// - Returns: The encloser's node.
    private func addClosestEncloser(
        _ chain: NSEC3Chain, _ name: LookupName, from label: Int, to proof: inout Proof
    ) -> Int {
        let last = name.labelCount - apexLabelCount
        var label = label
        while label < last {
            if let node = names.find(name, from: label), let owner = chain.owner(matching: node) {
                proof.add(owner)
                if label > 0 { proof.add(chain.owner(covering: name.suffix(label - 1))) }
                return node
            }
            label += 1
        }
        proof.add(chain.owner(matching: 0))
        if last > 0 { proof.add(chain.owner(covering: name.suffix(last - 1))) }
        return 0
    }
}
