import ArgumentParser
import CommandLineText
import ManagementClient
import ManagementTypes

struct ReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Load changes of configuration, zones and database.",
        discussion: """
            Returns when the changes are served. A zone that cannot be read keeps its last good version; an invalid \
            configuration changes nothing. In both cases the exit code is 1.
            """)

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        // A database takes seconds to read.
        let client = ControlClient(path: daemon.socket, timeoutSeconds: 600)
        let report = try client.reload()
        output.write(report, text: report.text)
        guard report.problems.isEmpty else { throw ExitCode.failure }
    }
}
