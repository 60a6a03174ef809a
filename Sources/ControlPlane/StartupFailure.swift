import FastPathDriver

/// Why the daemon cannot start: every reason found, in the user's words.
package struct StartupFailure: Error, CustomStringConvertible {
    package let problems: [String]
    package let status: ExitStatus

    package init(_ problems: [String], status: ExitStatus = .configuration) {
        self.problems = problems
        self.status = status
    }

    package var description: String { problems.joined(separator: "\n") }

    package static let pinsAreHeld = StartupFailure(
        [
            "another nearcastd has the fast path pinned at \(PinnedFastPath.standard.root): stop it first, or set "
                + "fast_path.mode to off here"
        ], status: .unavailable)
}

/// The exit status of the daemon, by sysexits.h: what a service manager needs to decide whether a restart can help.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    /// Another daemon or program has what this one needs: control socket, port, pins.
    case unavailable = 69
    /// The kernel or a library refused.
    case system = 71
    /// State or another file cannot be read or written.
    case files = 74
    /// The process lacks a privilege. A restart changes nothing.
    case permission = 77
    /// Configuration, zones, certificates or databases have to be corrected. A restart changes nothing.
    case configuration = 78
}
