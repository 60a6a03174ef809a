import Foundation

/// A process, distinguished by its start time from later processes with the same id.
package struct ProcessIdentity: Hashable, Sendable {
    package let pid: Int32
    /// In clock ticks since the machine's start.
    private let startedAt: UInt64

    /// `nil` when there is no such process, or it has ended and its parent has not reaped it yet (proc(5): state Z).
    package init?(_ pid: Int32) {
        guard pid > 0, let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            // Behind the name, which may hold anything: state is field 3, the start time field 22.
            let end = status.lastIndex(of: ")")
        else { return nil }
        let fields = status[end...].split(separator: " ").dropFirst()
        guard fields.count > 19, fields.first != "Z", fields.first != "X",
            let started = UInt64(fields[fields.startIndex + 19])
        else { return nil }
        self.init(pid: pid, startedAt: started)
    }

    package init(pid: Int32, startedAt: UInt64) {
        self.pid = pid
        self.startedAt = startedAt
    }

    package var isAlive: Bool { ProcessIdentity(pid) == self }
}
