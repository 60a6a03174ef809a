import ArgumentParser
import CommandLineText
import ControlFailures
import FoundationEssentials
import ManagementTypes

struct NodeDrainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain", abstract: "Send nodes no clients, from the next packet on.",
        discussion:
            "The last usable node of a pool is drained only with --force. Several nodes are drained together, or none of them."
    )

    @OptionGroup var nodes: NodesOptions

    @Option(name: .customLong("for"), help: ArgumentHelp("How long, such as 90s, 30m, 2h or 7d.", valueName: "time"))
    var length: Length?

    @Flag(help: "Drain them even if a pool has no usable node then.")
    var force = false

    @OptionGroup var change: ChangeOptions

    func run() throws(ControlFailure) { try change.ask(.drained, of: nodes, for: length, force: force) }
}

struct NodeUndrainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undrain",
        abstract: "Withdraw operators' changes of nodes, maintenance too: their checks decide again.",
        discussion: """
            A node without checks is up at once. One with checks begins with few clients: its share grows to the whole \
            during slow_start of the configuration (default: 60s).
            """)

    @OptionGroup var nodes: NodesOptions

    @OptionGroup var change: ChangeOptions

    func run() throws(ControlFailure) { try change.ask(.auto, of: nodes) }
}

struct NodeMaintenanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "maintenance", abstract: "Send nodes no clients for some time, now or later.",
        discussion: """
            It is refused if other planned maintenance leaves a pool without a usable node. If that happens only when it \
            begins, it waits until another node is usable. nearcast node undrain cancels it.
            """)

    @OptionGroup var nodes: NodesOptions

    @Option(name: .customLong("for"), help: ArgumentHelp("How long, such as 90s, 30m, 2h or 7d.", valueName: "time"))
    var length: Length

    @Option(
        help: ArgumentHelp("When it begins, such as 2027-01-31T22:00:00Z. (default: now)", valueName: "time"),
        transform: NodeMaintenanceCommand.time)
    var start: Date?

    private static func time(_ text: String) throws -> Date {
        guard let date = CommandArguments.time(text) else {
            throw ValidationError(CommandArguments.complaint(aboutTime: text))
        }
        return date
    }

    @Flag(help: "Begin it even if a pool has no usable node then.")
    var force = false

    @OptionGroup var change: ChangeOptions

    func run() throws(ControlFailure) {
        try change.ask(.maintenance, of: nodes, startsAt: start, for: length, force: force)
    }
}
