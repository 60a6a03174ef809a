package import ControlFailures
import DNSWire
package import Foundation
import ModelCompiler
import Resolution
import Simulation
package import Steering
import Zones

/// The planned changes of this process, and those that were closed lately.
///
///     files ──► read, compile ──► compare ──► effect on every client ──► plan ──► apply: read again, equal? ──► publisher
///
/// A plan costs no answer: it is computed on a thread that gives way, from what is served and what the files say.
package actor ChangeBook {
    /// Change sets that are kept. The oldest closed ones go first, then those that change nothing.
    package static let standardLimit = 32

    private let limit: Int
    private let publisher: Publisher
    private let words: NodeWords
    private let events: EventStream
    private let numbers: @Sendable () -> UInt64
    private let now: @Sendable () -> Date
    private var sets: [ChangeSet] = []
    private var isPlanning = false
    /// Files changed while a plan was computed.
    private var isProposalDue = false

    /// The author of what changed files propose.
    package static let watchAuthor = "changed files"

    package init(
        limit: Int = standardLimit, publisher: Publisher, words: NodeWords, events: EventStream,
        numbers: @escaping @Sendable () -> UInt64,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.limit = limit
        (self.publisher, self.words, self.events) = (publisher, words, events)
        (self.numbers, self.now) = (numbers, now)
    }

    /// The latest first.
    package var all: [ChangeSet] { sets.reversed() }

    /// - Throws: `notFound`.
    package func changeSet(_ number: UInt64) throws(ControlFailure) -> ChangeSet { sets[try place(of: number)] }

    private func place(of number: UInt64) throws(ControlFailure) -> Int {
        guard let place = sets.firstIndex(where: { $0.number == number }) else {
            throw ControlFailure(
                .notFound, "there is no change \(number)",
                remedy: "nearcast changes lists the latest \(limit) that were planned since the daemon started")
        }
        return place
    }

    /// Plans what the files say now.
    ///
    /// - Throws: `invalid` if a reload would be refused; `unavailable` while another plan is computed.
    package func plan(by author: String, reason: String?) async throws(ControlFailure) -> ChangeSet {
        guard !isPlanning else {
            throw ControlFailure(.unavailable, "another change is being planned", remedy: "try again when it is done")
        }
        return keep(try await planFiles(), by: author, reason: reason)
    }

    /// Plans what changed files say, for somebody to apply. It takes the place of what they proposed before.
    package func propose() async {
        guard !isPlanning else {
            isProposalDue = true
            return
        }
        do throws(ControlFailure) {
            let plan = try await planFiles()
            let own = sets.filter { $0.author == Self.watchAuthor && $0.state != .stale }
            // What was proposed last, even if somebody has withdrawn it since.
            guard own.last?.plan.revision != plan.revision else { return }
            for set in own where set.state == .planned {
                update(set.number) { $0.close(as: .stale, at: now(), by: Self.watchAuthor) }
            }
            if plan.preview.changesAnything { _ = keep(plan, by: Self.watchAuthor, reason: nil) }
        } catch {
            guard error.code == .invalid else { return }
            events.append([.reloadRefused(.watch, problems: error.message.split(separator: "\n").map(String.init))])
        }
    }

    private func planFiles() async throws(ControlFailure) -> ChangePlan {
        isPlanning = true
        defer {
            isPlanning = false
            if isProposalDue {
                isProposalDue = false
                Task { await propose() }
            }
        }
        let (served, source, words) = (await publisher.current, await publisher.source, words)
        let plan = await onOwnThread(stackSize: 8 << 20) {
            Result { () throws(ControlFailure) in try served.plan(from: source, words) }
        }
        do throws(ControlFailure) { return try plan.get() } catch {
            guard error.code == .invalid else { throw error }
            throw ControlFailure(
                .invalid, error.message, remedy: "everything is served as before; correct it, and plan it again")
        }
    }

    private func keep(_ plan: ChangePlan, by author: String, reason: String?) -> ChangeSet {
        let set = ChangeSet(number: numbers(), at: now(), author: author, reason: reason, plan)
        sets.append(set)
        makeRoom()
        events.append([.change(set.news)])
        return set
    }

    private func makeRoom() {
        guard sets.count > limit else { return }
        let closed = sets.firstIndex { $0.state != .planned && $0.state != .applying }
        let idle = sets.firstIndex { $0.state == .planned && !$0.plan.preview.changesAnything }
        if let place = closed ?? idle ?? sets.firstIndex(where: { $0.state == .planned }) { sets.remove(at: place) }
    }

    /// Serves exactly what was planned.
    ///
    /// - Throws: `conflict` if it trips guards that are not among `accepted`, is stale or closed.
    package func apply(
        _ number: UInt64, accepting accepted: Set<Guard>, by author: String
    ) async throws(ControlFailure) -> (ChangeSet, ReloadOutcome) {
        let set = sets[try place(of: number)]
        try set.requireApplicable(accepting: accepted)
        sets[try place(of: number)].begin()
        do throws(ControlFailure) {
            let outcome = try await publisher.apply(set.plan.revision)
            let applied = update(number) { $0.apply(as: outcome.epoch, accepting: accepted, at: now(), by: author) }
            return (applied ?? set, outcome)
        } catch {
            if error.code == .conflict {
                update(number) { $0.close(as: .stale, at: now(), by: author) }
            } else if let place = sets.firstIndex(where: { $0.number == number }) {
                sets[place].giveUp()
            }
            throw error
        }
    }

    /// Closes a change that is not to be applied.
    package func withdraw(_ number: UInt64, by author: String) throws(ControlFailure) -> ChangeSet {
        let set = sets[try place(of: number)]
        try set.requireOpen()
        return update(number) { $0.close(as: .withdrawn, at: now(), by: author) } ?? set
    }

    @discardableResult
    private func update(_ number: UInt64, _ change: (inout ChangeSet) -> Void) -> ChangeSet? {
        guard let place = sets.firstIndex(where: { $0.number == number }) else { return nil }
        change(&sets[place])
        events.append([.change(sets[place].news)])
        return sets[place]
    }
}

extension Served {
    /// Reads what the files say, and measures what serving it would do. Takes seconds.
    fileprivate func plan(from source: any ModelSource, _ words: NodeWords) throws(ControlFailure) -> ChangePlan {
        let (preview, next) = try preview(of: source)
        LoadingThread.giveWay()
        let start = ContinuousClock.now
        guard let effect = ChangeEffect(from: loaded.model, to: next.model, words: words) else {
            preconditionFailure("nothing stops it")
        }
        let later = Dictionary(next.zones.map { ($0.origin, $0.zone) }) { first, _ in first }
        func servers(_ zone: Zone) -> Set<[UInt8]> {
            Set(zone.rrsets(of: zone.apex).first { $0.type == .ns }?.records ?? [])
        }
        let candidate = ChangeCandidate(
            preview: preview, revision: PlannedRevision(from: loaded, to: next),
            apexes: loaded.zones.compactMap { zone in
                later[zone.origin].flatMap { servers($0) == servers(zone.zone) ? nil : zone.origin }
            }, records: Dictionary(loaded.zones.map { ($0.origin, $0.records) }) { first, _ in first })
        return ChangePlan(candidate, effect, effectSeconds: (ContinuousClock.now - start).seconds)
    }
}
