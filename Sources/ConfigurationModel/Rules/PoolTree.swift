/// A pool as declared.
struct PoolDraft {
    enum Content {
        case nodes([PoolMember])
        case pools([Identifier])
    }

    struct Minimum {
        let count: Int
        let mark: DocumentLocation
    }

    let id: String
    let content: Content
    /// The minimum of this pool, and of inner pools without one.
    let minimum: Minimum?
    let mark: DocumentLocation

    /// The inner pools.
    var inner: [Identifier] {
        if case .pools(let pools) = content { pools } else { [] }
    }
}

/// Pools of pools, flattened into tiers.
struct PoolTree {
    /// The maximum nesting of pools. Ten would be many; the limit bounds the recursion.
    static let maximumDepth = 16

    private(set) var problems: [ConfigurationError.Problem] = []
    private let drafts: [String: PoolDraft]

    private struct Tier {
        var members: [PoolMember]
        let minimum: PoolDraft.Minimum?
        /// The innermost pool.
        let pool: String
    }

    /// `nil` for a pool that contains itself, or is nested too deeply.
    private var tiers: [String: [Tier]?] = [:]
    /// The nesting depth of each pool, itself included. Pools that contain themselves have none.
    private let depths: [String: Int]

    init(_ drafts: [PoolDraft]) {
        self.drafts = Dictionary(drafts.map { ($0.id, $0) }) { first, _ in first }
        depths = Self.depths(drafts)
    }

    /// From the innermost pools up, so that neither the declaration order nor the stack depth matters.
    private static func depths(_ drafts: [PoolDraft]) -> [String: Int] {
        let known = Set(drafts.map(\.id))
        var outer: [String: [String]] = [:]
        var missing: [String: Int] = [:]
        var depths: [String: Int] = [:]
        for draft in drafts {
            // An unreadable pool has no depth. The pools around it still have one.
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

    /// `nil` when the pool contains itself, or only unreadable members.
    mutating func settings(of draft: PoolDraft) -> PoolSettings? {
        guard let tiers = tiers(of: draft, path: [draft.id]), !tiers.isEmpty else { return nil }
        for tier in tiers {
            guard let minimum = tier.minimum, minimum.count > tier.members.count else { continue }
            report(
                minimum.mark,
                "minimum of pool \(Spelling.quoted(draft.id)) is \(minimum.count), but pool "
                    + "\(Spelling.quoted(tier.pool)) has \(tier.members.count) of its own, expected at most that many",
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

    /// The tiers of inner pools in order. A node belongs to the first tier that has it.
    private mutating func united(
        _ pools: [Identifier], of draft: PoolDraft, path: [String]
    ) -> [Tier]? {
        var seen: Set<String> = []
        var result: [Tier] = []
        for pool in pools {
            // Unreadable values have been reported already.
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

    /// Whether `pool` closes a loop with the path.
    private mutating func isClosed(_ path: [String], _ pool: Identifier) -> Bool {
        if let start = path.firstIndex(of: pool.value) {
            let circle = (path[start...] + [pool.value]).joined(separator: " > ")
            report(
                pool.location, "pool \(pool.quoted) contains itself (\(circle))",
                remedy: "remove one of these from the other")
            return true
        }
        // A pool that only leads to the loop is not reported again.
        return path.count >= Self.maximumDepth && depths[pool.value] == nil
    }

    /// Whether pools are nested too deeply. Reported for the innermost pool beyond the limit.
    private mutating func isTooDeep(_ draft: PoolDraft) -> Bool {
        guard let depth = depths[draft.id], depth > Self.maximumDepth else { return false }
        guard depth == Self.maximumDepth + 1, let first = deepest(in: draft) else { return true }
        var path = [draft.id]
        var next: Identifier? = first
        while let pool = next {
            path.append(pool.value)
            next = drafts[pool.value].flatMap { deepest(in: $0) }
        }
        report(
            first.location, "pools are nested more than \(Self.maximumDepth) deep (\(path.joined(separator: " > ")))",
            remedy: "name the inner pools directly")
        return true
    }

    private func deepest(in draft: PoolDraft) -> Identifier? {
        let known = draft.inner.filter { depths[$0.value] != nil }
        let depth = known.compactMap { depths[$0.value] }.max()
        return known.first { depths[$0.value] == depth }
    }
}
