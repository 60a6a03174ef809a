import ArgumentParser
import CommandLineText
import ControlFailures
import ManagementClient

struct InspectLocationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "location", abstract: "Look a prefix up in the location table.")

    @Option(help: "An address or a prefix.")
    var prefix: String

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func run() throws(ControlFailure) {
        let report = try daemon.client.inspectLocation(prefix)
        output.write(report, text: report.text)
    }
}
