import ArgumentParser
import CommandLineText
import ControlAPI

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show how one client's query would be answered, by which path, and why.")

    @Argument(help: "The name that is asked for.")
    var name: String

    @Argument(help: "The record type that is asked for.")
    var type = "A"

    @Option(
        help: ArgumentHelp(
            "The client: an address, or the prefix that a client subnet option (ECS) would carry.",
            valueName: "prefix"))
    var from: String

    @Option(
        help: ArgumentHelp(
            "With a prefix: the address that sends the query, which alone decides about views and access.",
            valueName: "address"))
    var sender: String?

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func run() throws(ControlFailure) {
        let report = try daemon.client.explain(
            ExplainRequest(name: name, type: type.uppercased(), from: from, sender: sender))
        output.write(report, text: report.text)
    }
}
