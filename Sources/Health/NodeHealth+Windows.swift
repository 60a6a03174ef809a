/// Windows: claims that begin at a later time.
extension NodeHealth {
    /// The maximum number of windows of one authority for one node.
    public static let maximumWindows = 16

    /// Whether there is room for a window, or whether one merges with an existing one.
    public func hasRoom(for window: Claim) -> Bool {
        let others = claims.filter { $0.isWindow && $0.authority == window.authority }
        return others.count < Self.maximumWindows || others.contains { $0.merged(with: window) != nil }
    }

    /// Merges windows that touch and are equal. Windows beyond the limit are left out.
    mutating func add(window: Claim, at now: Moment) {
        guard hasRoom(for: window) else { return }
        var window = window
        window.hasBegun = window.isDue(at: now)
        // A merged window may now touch another.
        while let index = claims.firstIndex(where: { $0.merged(with: window) != nil }),
            let merged = claims[index].merged(with: window)
        {
            claims.remove(at: index)
            window = merged
        }
        claims.append(window)
    }

    /// Starts the windows that are due: those that may take the node out, and those that do not.
    mutating func beginWindows(at now: Moment, mayLeave: Bool) {
        var isHeld = false
        for index in claims.indices where claims[index].isDue(at: now) {
            var begun = claims[index]
            begun.hasBegun = true
            if !begun.isForced, begun.isLeave, condition.state.isUsable, !mayLeave {
                // A higher claim may end before it does. It is judged then.
                isHeld = isHeld || claim(at: now).map { begun.isAbove($0) } ?? true
                continue
            }
            claims[index] = begun
        }
        windowHeldSince = isHeld ? windowHeldSince ?? now : nil
    }

    /// Whether a window waits to take effect.
    func hasDueWindow(at now: Moment) -> Bool { claims.contains { $0.isDue(at: now) } }

    /// Whether the plan takes the node out at a future time, whatever its checks say.
    func isPlannedOut(at time: Moment) -> Bool {
        let best = claims.filter { $0.authority > .checks && $0.isPlanned(at: time) }.reduce(nil as Claim?) {
            best, next in
            best.map { next.isAbove($0) ? next : $0 } ?? next
        }
        return best.map { !$0.state.isUsable } ?? false
    }
}

extension Claim {
    /// Both merged. `nil` if they do not touch, or differ.
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
