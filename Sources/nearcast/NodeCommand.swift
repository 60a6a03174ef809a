import ArgumentParser

struct NodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "node", abstract: "List nodes, and take them out or back in.",
        subcommands: [NodeSetCommand.self, NodeListCommand.self, NodeShowCommand.self])
}
