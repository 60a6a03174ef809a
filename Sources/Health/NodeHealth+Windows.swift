/// Windows: claims that begin at a time.
extension NodeHealth {
    /// How many windows an authority may have of one node.
    public static let maximumWindows = 16

    /// Whether there is room for a window, beside those or within one.
    public func hasRoom(for window: Claim) -> Bool {
        let others = claims.filter { $0.isWindow && $0.authority == window.authority }
        return others.count < Self.maximumWindows || others.contains { $0.merged(with: window) != nil }
    }

    /// Makes windows that touch and say the same one. What there is no room for is left out.
    mutating func add(window: Claim, at now: Moment) {
        guard hasRoom(for: window) else { return }
        var window = window
        window.hasBegun = window.isDue(at: now)
        // One that grew may touch another now.
        while let index = claims.firstIndex(where: { $0.merged(with: window) != nil }),
            let merged = claims[index].merged(with: window)
        {
            claims.remove(at: index)
            window = merged
        }
        claims.append(window)
    }

    /// Lets windows take effect whose time has come: those that may, and those that take nothing away.
    mutating func beginWindows(at now: Moment, mayLeave: Bool) {
        var isHeld = false
        for index in claims.indices where claims[index].isDue(at: now) {
            var begun = claims[index]
            begun.hasBegun = true
            if !begun.isForced, begun.isLeave, condition.state.isUsable, !mayLeave {
                // What stands above it may end before it does: it is judged then.
                isHeld = isHeld || claim(at: now).map { begun.isAbove($0) } ?? true
                continue
            }
            claims[index] = begun
        }
        windowHeldSince = isHeld ? windowHeldSince ?? now : nil
    }

    /// Whether a window waits to take effect.
    func hasDueWindow(at now: Moment) -> Bool { claims.contains { $0.isDue(at: now) } }

    /// Whether what is planned takes the node out at a time to come, whatever its checks will say.
    func isPlannedOut(at time: Moment) -> Bool {
        let best = claims.filter { $0.authority > .checks && $0.isPlanned(at: time) }.reduce(nil as Claim?) {
            best, next in
            best.map { next.isAbove($0) ? next : $0 } ?? next
        }
        return best.map { !$0.state.isUsable } ?? false
    }
}

extension Claim {
    /// Both as one; `nil` where they do not touch, or do not say the same.
    func merged(with other: Claim) -> Claim? {
        guard let begins, let otherBegins = other.begins, authority == other.authority, state == other.state,
            share == other.share, author == other.author, isForced == other.isForced
        else { return nil }
        let isApart =
            ends.map { $0 < otherBegins } ?? false || other.ends.map { $0 < begins } ?? false
        guard !isApart else { return nil }
        let last: Moment? = if let ends, let otherEnds = other.ends { max(ends, otherEnds) } else { nil }
        return Claim(
            authority, state, share: share, begins: min(begins, otherBegins), ends: last, author: author,
            isForced: isForced, hasBegun: hasBegun || other.hasBegun)
    }
}
