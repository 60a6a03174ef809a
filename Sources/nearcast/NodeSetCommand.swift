import ArgumentParser
import ControlFailures
import ManagementTypes

struct NodeSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Say what a node's state is, whatever its checks say; the next packet sees it.",
        discussion: """
            up: it takes clients. down: it does not work. drained: it works, and shall take no clients. auto: what its \
            checks say, and up where nothing checks it.
            """)

    @Argument(help: "The node.")
    var id: String

    @Argument(help: "The state it shall have: up, down, drained or auto.")
    var state: NodeStateChange.Wish

    @Option(name: .customLong("for"), help: ArgumentHelp("How long, as 90s, 30m, 2h or 7d.", valueName: "time"))
    var length: Length?

    @Flag(help: "Drain it though it is the last usable node of a pool.")
    var force = false

    @OptionGroup var wish: WishOptions

    func validate() throws {
        guard state != .maintenance else {
            throw ValidationError("maintenance has a command of its own: nearcast node maintenance \(id) --for 2h")
        }
    }

    func run() throws(ControlFailure) { try wish.ask(state, of: id, for: length, force: force) }
}
