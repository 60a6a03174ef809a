import ArgumentParser

struct NodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "node", abstract: "List nodes, and take them out of service or back in.",
        subcommands: [
            NodeListCommand.self, NodeShowCommand.self, NodeHistoryCommand.self, NodeSetCommand.self,
            NodeDrainCommand.self, NodeUndrainCommand.self, NodeMaintenanceCommand.self, NodeReportCommand.self,
        ])
}
