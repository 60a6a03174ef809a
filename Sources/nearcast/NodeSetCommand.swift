import ArgumentParser
import ControlFailures
import ManagementTypes

struct NodeSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Override a node's state, from the next packet on.",
        discussion: """
            up: it takes clients. down: it does not work. drained: it works, and takes no clients. auto: its checks decide; \
            a node without checks is up.
            """)

    @Argument(help: "The node.")
    var id: String

    @Argument(help: "The state: up, down, drained or auto.")
    var state: NodeStateChange.Target

    @Option(name: .customLong("for"), help: ArgumentHelp("How long, such as 90s, 30m, 2h or 7d.", valueName: "time"))
    var length: Length?

    @Flag(help: "Take it out even if it is the last usable node of a pool.")
    var force = false

    @OptionGroup var change: ChangeOptions

    func validate() throws {
        guard state != .maintenance else {
            throw ValidationError("maintenance is a separate command: nearcast node maintenance \(id) --for 2h")
        }
    }

    func run() throws(ControlFailure) { try change.ask(state, of: id, for: length, force: force) }
}
