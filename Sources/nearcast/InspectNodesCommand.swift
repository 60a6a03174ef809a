import ArgumentParser
import CommandLineText
import ControlFailures
import ManagementClient

struct InspectNodesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nodes", abstract: "Show the node words that packets read.")

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func run() throws(ControlFailure) {
        let report = try daemon.client.inspectNodes()
        output.write(report, text: report.text)
    }
}
