import ArgumentParser
import CommandLineText
import ControlFailures
import ManagementClient

struct InspectCountersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "counters", abstract: "Show all counters of both paths.")

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func run() throws(ControlFailure) {
        let report = try daemon.client.inspectCounters()
        output.write(report, text: report.text)
    }
}
