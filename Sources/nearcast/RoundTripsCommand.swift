import ArgumentParser
import CommandLineText
import ControlFailures
import ManagementClient

struct RoundTripsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rtt", abstract: "Show round-trip times learned from this machine's connections.")

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions
    @Flag(help: "Print the current medians as lines of a latency file.")
    var csv = false

    func validate() throws {
        if csv, output.json { throw ValidationError("--csv and --json are both given, expected one of them") }
    }

    func run() throws(ControlFailure) {
        let report = try daemon.client.roundTrips()
        if csv { return Terminal.write(report.csv) }
        output.write(report, text: report.text)
    }
}
