import ArgumentParser
import CommandLineText
import ControlFailures
import ManagementClient

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the daemon's fast path, model, nodes, counters and memory.")

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func run() throws(ControlFailure) {
        let report = try daemon.client.status()
        output.write(report, text: report.text)
    }
}
