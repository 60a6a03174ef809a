import ArgumentParser
import CommandLineText
import ControlFailures
import ManagementClient
import ManagementTypes

struct InspectNamesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "names", abstract: "List the tailored names with their types, pools and policies.")

    @Option(help: ArgumentHelp("Only this name and those below it.", valueName: "name"))
    var under: String?

    @Option(help: ArgumentHelp("The most names to list, 1 to 10000.", valueName: "count"))
    var limit = 100

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else {
            throw ValidationError("--limit is \(limit), expected a number from 1 to 10000")
        }
    }

    func run() throws(ControlFailure) {
        let report = try daemon.client.inspectNames(InspectNamesRequest(under: under, limit: limit))
        output.write(report, text: report.text)
    }
}
