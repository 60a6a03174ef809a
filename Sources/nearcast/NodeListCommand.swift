import ArgumentParser
import CommandLineText
import ControlFailures
import ManagementClient

struct NodeListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List all nodes with state, location and addresses.")

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func run() throws(ControlFailure) {
        let nodes = try daemon.client.nodes()
        output.write(nodes, text: nodes.text)
    }
}
