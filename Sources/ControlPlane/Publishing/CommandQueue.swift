import ControlFailures

/// The commands that change what is served, in the order in which they run.
struct CommandQueue {
    enum Command {
        case records(PendingRecords)
        /// A revision is read, and its tables are planned.
        case publish(Preparation)
        /// Replaces the stored record changes: reads and publishes in one step, so that no other command comes between.
        case keep(ReadJob.ID)
        case compact(ChangeLog.ID)
        /// Stores when the answers of aliases end. Nothing that is served changes.
        case answerEnds(AliasAnswerEnds, CheckedContinuation<Result<Void, ControlFailure>, Never>)
        /// Puts the program back that was taken off.
        case attach(CheckedContinuation<Result<Void, ControlFailure>, Never>)
        /// Answers when everything before is done.
        case barrier(CheckedContinuation<Void, Never>)
    }

    enum Step {
        /// Record changes that came in a row: written, published and waited for together.
        case records([PendingRecords])
        case other(Command)
    }

    /// The most RRsets in one round: with more, the first request would wait long for the last.
    private static let roundLimit = 1_024

    private var commands: [Command] = []

    mutating func append(_ command: Command) { commands.append(command) }

    mutating func next() -> Step? {
        guard let first = commands.first else { return nil }
        guard case .records = first else { return .other(commands.removeFirst()) }
        var (round, size) = ([PendingRecords](), 0)
        for case .records(let pending) in commands.prefix(while: \.isRecords) {
            size += pending.request.changes.count
            guard round.isEmpty || size <= Self.roundLimit else { break }
            round.append(pending)
        }
        commands.removeFirst(round.count)
        return .records(round)
    }

    /// Whether a record change is next.
    var hasRecordsNext: Bool { commands.first?.isRecords ?? false }
}

extension CommandQueue.Command {
    fileprivate var isRecords: Bool { if case .records = self { true } else { false } }
}

/// A record change, and the caller that waits for it.
struct PendingRecords: Sendable {
    let request: RecordRequest
    let reply: CheckedContinuation<Result<RecordOutcome, ControlFailure>, Never>
}
