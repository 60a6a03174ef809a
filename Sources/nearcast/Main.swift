import ArgumentParser
import Glibc
import ManagementTypes

/// Exit codes: 0 for success, 1 for a failure that the daemon or the check reports, 64 for wrong usage (sysexits.h).
@main enum Main {
    static func main() {
        do {
            var command = try Nearcast.parseAsRoot()
            try command.run()
        } catch {
            exit(FailureOutput.report(error))
        }
    }
}

/// The command's tree.
struct Nearcast: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check configurations, and look into and steer a running nearcastd.",
        discussion: """
            Options stand after the subcommand. With --json results are printed as JSON on standard output, and errors as \
            JSON on standard error.
            """,
        version: "nearcast \(version)",
        subcommands: [
            CheckCommand.self, SimulateCommand.self, StatusCommand.self, ExplainCommand.self, NodeCommand.self,
            RecordCommand.self, WatchCommand.self, InspectCommand.self, ReloadCommand.self, DetachCommand.self,
            DoctorCommand.self,
            TokenCommand.self, RoundTripsCommand.self,
        ])

    static let version = nearcastVersion
}
