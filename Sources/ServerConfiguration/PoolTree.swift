/// A pool as the file has it.
struct PoolDraft {
    enum Content {
        case nodes([PoolMember])
        case pools([ConfigurationReader.Identifier])
    }

    struct Minimum {
        let count: Int
        let mark: SourceMark
    }

    let id: String
    let content: Content
    /// Of this pool, and of its inner pools that have none of their own.
    let minimum: Minimum?
    let mark: SourceMark
}

/// Pools that are made of pools, laid out as tiers.
struct PoolTree {
    /// Pools inside one another. Ten would be many; the limit bounds the stack.
    static let maximumDepth = 16

    private(set) var problems: [(mark: SourceMark, message: String)] = []
    private let drafts: [String: PoolDraft]

    private struct Tier {
        var members: [PoolMember]
        let minimum: PoolDraft.Minimum?
        /// The innermost pool.
        let pool: String
    }

    /// `nil` for a pool that contains itself.
    private var tiers: [String: [Tier]?] = [:]

    init(_ drafts: [PoolDraft]) {
        self.drafts = Dictionary(drafts.map { ($0.id, $0) }) { first, _ in first }
    }

    /// `nil` when the pool contains itself, or only what could not be read.
    mutating func settings(of draft: PoolDraft) -> PoolSettings? {
        guard let tiers = tiers(of: draft, path: [draft.id]), !tiers.isEmpty else { return nil }
        for tier in tiers {
            guard let minimum = tier.minimum, minimum.count > tier.members.count else { continue }
            problems.append(
                (
                    minimum.mark,
                    "minimum of pool \(Spelling.quoted(draft.id)) is \(minimum.count), and pool "
                        + "\(Spelling.quoted(tier.pool)) has \(tier.members.count) of its own, expected no more than that: "
                        + "lower it"
                ))
        }
        return PoolSettings(
            id: draft.id,
            tiers: tiers.map { PoolTier(members: $0.members, minimum: $0.minimum?.count ?? 1) }, mark: draft.mark)
    }

    private mutating func tiers(of draft: PoolDraft, path: [String]) -> [Tier]? {
        if let known = tiers[draft.id] { return known }
        let result: [Tier]?
        switch draft.content {
        case .nodes(let members): result = [Tier(members: members, minimum: draft.minimum, pool: draft.id)]
        case .pools(let pools): result = united(pools, of: draft, path: path)
        }
        tiers[draft.id] = .some(result)
        return result
    }

    /// The tiers of inner pools in order. What an earlier one has, later ones do not.
    private mutating func united(
        _ pools: [ConfigurationReader.Identifier], of draft: PoolDraft, path: [String]
    ) -> [Tier]? {
        var seen: Set<String> = []
        var result: [Tier] = []
        for pool in pools {
            // What could not be read is reported as such.
            guard let inner = drafts[pool.text], !isClosed(path, pool) else { return nil }
            guard let tiers = tiers(of: inner, path: path + [pool.text]) else { return nil }
            for var tier in tiers {
                tier.members.removeAll { !seen.insert($0.node).inserted }
                guard !tier.members.isEmpty else { continue }
                result.append(Tier(members: tier.members, minimum: tier.minimum ?? draft.minimum, pool: tier.pool))
            }
        }
        return result
    }

    /// Whether the path leads back to itself, or too deep, with `pool`.
    private mutating func isClosed(_ path: [String], _ pool: ConfigurationReader.Identifier) -> Bool {
        if let start = path.firstIndex(of: pool.text) {
            let circle = (path[start...] + [pool.text]).joined(separator: " > ")
            problems.append(
                (
                    pool.mark,
                    "pool \(Spelling.quoted(pool.text)) contains itself (\(circle)): remove one of these from the other"
                ))
            return true
        }
        guard path.count >= Self.maximumDepth else { return false }
        problems.append(
            (
                pool.mark,
                "pools are nested more than \(Self.maximumDepth) deep (\(path.joined(separator: " > "))): name the inner pools "
                    + "at once"
            ))
        return true
    }
}
