import ArgumentParser
import CommandLineText
import ControlFailures
import ManagementClient
import ManagementTypes

struct NodeShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one node: its state, checks, location, and last change.")

    @Argument(help: "The node.")
    var id: String

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func run() throws(ControlFailure) {
        guard let node = try daemon.client.nodes().first(where: { $0.id == id }) else {
            throw ControlFailure(
                .notFound, "the daemon has no node \(id.printable)", remedy: "`nearcast node list` shows the nodes")
        }
        output.write(node, text: node.text)
    }
}
