import ArgumentParser
import CommandLineText
import ControlFailures
import ManagementClient

struct NodeHistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show a node's state changes from the journal, the latest first.")

    @Argument(help: "The node.")
    var id: String

    @Option(help: ArgumentHelp("The most changes to show, 1 to 10000.", valueName: "count"))
    var limit = 20

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else {
            throw ValidationError("--limit is \(limit), expected a number from 1 to 10000")
        }
    }

    func run() throws(ControlFailure) {
        let history = try daemon.client.history(of: id, limit: limit)
        output.write(history, text: history.text)
    }
}
