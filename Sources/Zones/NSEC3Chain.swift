/// The NSEC3 records of a zone in the order of their hashes (RFC 5155, section 7.1).
///
/// Existing names and the wildcards below them are hashed when the zone is built, so a denial hashes only the next
/// closer name.
struct NSEC3Chain: Sendable {
    let parameters: NSEC3Parameters
    /// Ascending.
    private let digests: [SHA1.Digest]
    /// The node that owns the record of each digest.
    private let owners: [Int32]
    /// For each node of the zone, the owner of the record that matches its name; -1 for none.
    private let matching: [Int32]
    /// For each node, the owner of the record that covers the wildcard below it; -1 for none.
    private let coveringWildcard: [Int32]

    /// - Parameters:
    ///   - records: The digests of the records with their owners; not empty.
    ///   - names: The zone's names.
    ///   - isDenied: Whether a node can be denied, or be the closest encloser of a denied name. False where other data
    ///     hide it.
    init(
        _ parameters: NSEC3Parameters, _ records: [(digest: SHA1.Digest, owner: Int)], names: NameTable, count: Int,
        isDenied: (Int) -> Bool
    ) {
        let sorted = records.sorted { $0.digest < $1.digest }
        let digests = sorted.map(\.digest)
        let owners = sorted.map { Int32($0.owner) }
        var matching = [Int32](repeating: -1, count: count)
        var covering = matching
        LookupName.withScratch { scratch in
            for node in 0..<count where isDenied(node) {
                let place = names.withName(at: node) { Self.place(of: parameters.hash($0), in: digests) }
                if place.isEqual { matching[node] = owners[place.index] }
                names.withName(at: node) { scratch.load($0) }
                guard scratch.loadWildcard(belowSuffix: 0) else { continue }
                covering[node] = owners[Self.place(of: parameters.hash(scratch.suffix(0)), in: digests).index]
            }
        }
        self.parameters = parameters
        self.digests = digests
        self.owners = owners
        self.matching = matching
        coveringWildcard = covering
    }

    /// The owner of the record that matches a node's name; `nil` if opt-out left it without one.
    func owner(matching node: Int) -> Int? { matching[node] >= 0 ? Int(matching[node]) : nil }

    /// The owner of the record that covers the wildcard below a node.
    func owner(coveringWildcardBelow node: Int) -> Int? {
        coveringWildcard[node] >= 0 ? Int(coveringWildcard[node]) : nil
    }

    /// The owner of the record that covers a lower-cased name that does not exist.
    func owner(covering name: UnsafeRawBufferPointer) -> Int {
        Int(owners[Self.place(of: parameters.hash(name), in: digests).index])
    }

    /// The last digest that is not greater than `digest`. Before the first digest the chain wraps around to the last.
    private static func place(of digest: SHA1.Digest, in digests: [SHA1.Digest]) -> (index: Int, isEqual: Bool) {
        var (low, high) = (0, digests.count)
        while low < high {
            let middle = (low + high) / 2
            if digests[middle] <= digest { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return (digests.count - 1, false) }
        return (low - 1, digests[low - 1] == digest)
    }
}
