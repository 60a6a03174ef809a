import ArgumentParser
import CommandLineText
import ControlFailures
import ManagementClient

struct NodeHistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show state changes of a node or of all from the journal, the latest first.")

    @Argument(help: "The node.")
    var id: String?

    @Flag(help: "Show the changes of all nodes.")
    var all = false

    @Option(help: ArgumentHelp("The most changes to show, 1 to 10000.", valueName: "count"))
    var limit = 20

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (id == nil) == all else { throw ValidationError("give the id of a node, or --all") }
        guard (1...10_000).contains(limit) else {
            throw ValidationError("--limit is \(limit), expected a number from 1 to 10000")
        }
    }

    func run() throws(ControlFailure) {
        guard let id else {
            let history = try daemon.client.history(limit: limit)
            return output.write(history) { history.text($0, withNodes: true) }
        }
        let history = try daemon.client.history(of: id, limit: limit)
        output.write(history, text: history.text)
    }
}
