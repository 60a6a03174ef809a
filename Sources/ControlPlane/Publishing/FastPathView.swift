package import BPFRuntime
package import FastPathDriver

/// The fast path as it is at one moment.
package struct FastPathView: Sendable {
    package struct Overlay: Hashable, Sendable {
        /// Names and shared replies that changed since the tables were filled.
        package let count: Int
        package let cells: Int
    }

    package var attachments: [Attachment] = []
    /// The slot in use; 0 without a fast path.
    package var generation = 0
    package var tables: [(table: String, bytes: Int)] = []
    package var program: BPFProgram?
    /// `nil`: no name has changed since the tables were filled.
    package var overlay: Overlay?
    /// Whether there is a program with tables.
    package var hasImage = false
    /// Replies that an interface's driver could not send; without the interfaces whose driver counts none.
    package var unsent: [String: UnsentReplies.Count] = [:]

    package var isAttached: Bool { attachments.contains { $0.mode != nil } }
}
