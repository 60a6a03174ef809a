/// A pool as it is declared.
struct PoolDraft {
    enum Content {
        case nodes([PoolMember])
        case pools([ConfigurationRules.Identifier])
    }

    struct Minimum {
        let count: Int
        let mark: DocumentLocation
    }

    let id: String
    let content: Content
    /// Of this pool, and of its inner pools that have none of their own.
    let minimum: Minimum?
    let mark: DocumentLocation

    /// The pools that it is made of.
    var inner: [ConfigurationRules.Identifier] {
        if case .pools(let pools) = content { pools } else { [] }
    }
}

/// Pools that are made of pools, laid out as tiers.
struct PoolTree {
    /// Pools inside one another. Ten would be many; the limit bounds the stack.
    static let maximumDepth = 16

    private(set) var problems: [ConfigurationError.Problem] = []
    private let drafts: [String: PoolDraft]

    private struct Tier {
        var members: [PoolMember]
        let minimum: PoolDraft.Minimum?
        /// The innermost pool.
        let pool: String
    }

    /// `nil` for a pool that contains itself, or is too deep.
    private var tiers: [String: [Tier]?] = [:]
    /// Pools from each one down to the innermost, itself included; not of those that contain themselves.
    private let depths: [String: Int]

    init(_ drafts: [PoolDraft]) {
        self.drafts = Dictionary(drafts.map { ($0.id, $0) }) { first, _ in first }
        depths = Self.depths(drafts)
    }

    /// From the innermost pools up: the order of the declaration does not matter, and the stack is not used.
    private static func depths(_ drafts: [PoolDraft]) -> [String: Int] {
        let known = Set(drafts.map(\.id))
        var outer: [String: [String]] = [:]
        var missing: [String: Int] = [:]
        var depths: [String: Int] = [:]
        for draft in drafts {
            // A pool that could not be read has no depth. The pools around it still have one.
            let inner = draft.inner.filter { known.contains($0.value) }
            for pool in inner { outer[pool.value, default: []].append(draft.id) }
            missing[draft.id] = inner.count
        }
        var ready = drafts.map(\.id).filter { missing[$0] == 0 }
        for id in ready { depths[id] = 1 }
        while let id = ready.popLast() {
            for pool in outer[id] ?? [] {
                depths[pool] = max(depths[pool] ?? 1, (depths[id] ?? 1) + 1)
                missing[pool, default: 0] -= 1
                if missing[pool] == 0 { ready.append(pool) }
            }
        }
        return depths.filter { missing[$0.key] == 0 }
    }

    private mutating func report(_ location: DocumentLocation, _ message: String, remedy: String) {
        problems.append(ConfigurationError.Problem(at: location, message, remedy: remedy))
    }

    /// `nil` when the pool contains itself, or only what could not be read.
    mutating func settings(of draft: PoolDraft) -> PoolSettings? {
        guard let tiers = tiers(of: draft, path: [draft.id]), !tiers.isEmpty else { return nil }
        for tier in tiers {
            guard let minimum = tier.minimum, minimum.count > tier.members.count else { continue }
            report(
                minimum.mark,
                "minimum of pool \(Spelling.quoted(draft.id)) is \(minimum.count), and pool "
                    + "\(Spelling.quoted(tier.pool)) has \(tier.members.count) of its own, expected no more than that",
                remedy: "lower it")
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
        case .pools where isTooDeep(draft): result = nil
        case .pools(let pools): result = united(pools, of: draft, path: path)
        }
        tiers[draft.id] = .some(result)
        return result
    }

    /// The tiers of inner pools in order. What an earlier one has, later ones do not.
    private mutating func united(
        _ pools: [ConfigurationRules.Identifier], of draft: PoolDraft, path: [String]
    ) -> [Tier]? {
        var seen: Set<String> = []
        var result: [Tier] = []
        for pool in pools {
            // What could not be read is reported as such.
            guard let inner = drafts[pool.value], !isClosed(path, pool) else { return nil }
            guard let tiers = tiers(of: inner, path: path + [pool.value]) else { return nil }
            for var tier in tiers {
                tier.members.removeAll { !seen.insert($0.node).inserted }
                guard !tier.members.isEmpty else { continue }
                result.append(Tier(members: tier.members, minimum: tier.minimum ?? draft.minimum, pool: tier.pool))
            }
        }
        return result
    }

    /// Whether the path leads back to itself with `pool`.
    private mutating func isClosed(_ path: [String], _ pool: ConfigurationRules.Identifier) -> Bool {
        if let start = path.firstIndex(of: pool.value) {
            let circle = (path[start...] + [pool.value]).joined(separator: " > ")
            report(
                pool.location, "pool \(pool.quoted) contains itself (\(circle))",
                remedy: "remove one of these from the other")
            return true
        }
        // On a longer way to a circle, the part near the circle says enough.
        return path.count >= Self.maximumDepth && depths[pool.value] == nil
    }

    /// Whether more pools are inside one another than may be; reported for the innermost pool that has too many.
    private mutating func isTooDeep(_ draft: PoolDraft) -> Bool {
        guard let depth = depths[draft.id], depth > Self.maximumDepth else { return false }
        guard depth == Self.maximumDepth + 1, let first = deepest(in: draft) else { return true }
        var path = [draft.id]
        var next: ConfigurationRules.Identifier? = first
        while let pool = next {
            path.append(pool.value)
            next = drafts[pool.value].flatMap { deepest(in: $0) }
        }
        report(
            first.location, "pools are nested more than \(Self.maximumDepth) deep (\(path.joined(separator: " > ")))",
            remedy: "name the inner pools directly")
        return true
    }

    private func deepest(in draft: PoolDraft) -> ConfigurationRules.Identifier? {
        let known = draft.inner.filter { depths[$0.value] != nil }
        let depth = known.compactMap { depths[$0.value] }.max()
        return known.first { depths[$0.value] == depth }
    }
}
