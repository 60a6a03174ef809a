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
        abstract: "Check configurations, and inspect and control a running nearcastd.",
        discussion: """
            Options follow the subcommand. With --json, results are JSON on standard output, and errors are JSON on \
            standard error. The environment variable NEARCAST_SOCKET names the control socket where --socket does not.
            """,
        version: "nearcast \(version)",
        subcommands: [
            CheckCommand.self, SimulateCommand.self, StatusCommand.self, ExplainCommand.self, NodeCommand.self,
            RecordCommand.self, PlanCommand.self, ApplyCommand.self, ChangesCommand.self, WatchCommand.self,
            InspectCommand.self, ReloadCommand.self, AttachCommand.self,
            DetachCommand.self, DoctorCommand.self,
            TokenCommand.self, RoundTripsCommand.self, GeoCommand.self,
        ])

    static let version = nearcastVersion
}
