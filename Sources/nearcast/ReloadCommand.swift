import ArgumentParser
import CommandLineText
import ManagementClient
import ManagementTypes

struct ReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Take over what has changed in configuration, zones and database.",
        discussion: """
            Returns when it serves. A zone that cannot be read keeps its last good version; a configuration that is not \
            valid changes nothing. Either makes the exit code 1.
            """)

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        // A database takes its time.
        let client = ControlClient(path: daemon.socket, timeoutSeconds: 600)
        let report = try client.reload()
        output.write(report, text: report.text)
        guard report.problems.isEmpty else { throw ExitCode.failure }
    }
}
