import StateStore

/// A message about the journal for the operator.
public struct JournalNote: Hashable, Sendable, CustomStringConvertible {
    /// What happened, as a phrase to search logs for.
    public enum Event: String, Hashable, Sendable {
        /// The file cannot be written. Changes wait in memory, and are lost if the process ends.
        case notWritable = "journal not writable"
        /// The file can be written again. Waiting changes are written now.
        case writable = "journal writable again"
        /// The file was damaged or removed, and a new one was created.
        case replaced = "journal replaced"
        /// The file could not be written for so long that the oldest waiting changes were dropped.
        case changesDropped = "journal changes dropped"
    }

    public let event: Event
    /// The details: the file, the reason, and what to do.
    public let description: String

    init(_ event: Event, _ description: String) {
        self.event = event
        self.description = description
    }

    static func notWritable(_ problem: JournalProblem) -> JournalNote {
        JournalNote(
            .notWritable, "\(problem): changes of node states wait in memory, and are lost if the daemon ends")
    }
}
