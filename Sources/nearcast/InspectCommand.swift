import ArgumentParser

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Show the tables that packets are answered from.",
        subcommands: [
            InspectNamesCommand.self, InspectLocationCommand.self, InspectNodesCommand.self,
            InspectCountersCommand.self,
        ])
}
