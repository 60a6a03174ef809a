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

            With watch: true, the default, the daemon loads saved files by itself after about 2 seconds, so --dry-run \
            finds nothing: set watch: false, or run nearcast check on a copy of the files.
            """)

    @Flag(help: "Say what would change, and change nothing.")
    var dryRun = false

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        // A database takes seconds to read.
        let client = ControlClient(path: daemon.socket, timeoutSeconds: 600)
        if dryRun {
            let preview = try client.previewReload()
            output.write(preview, text: preview.text)
            guard preview.problems.isEmpty else { throw ExitCode.failure }
            return
        }
        let report = try client.reload()
        output.write(report, text: report.text)
        guard report.problems.isEmpty else { throw ExitCode.failure }
    }
}
