import ArgumentParser
import ControlFailures
import ManagementTypes

struct NodeDrainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain", abstract: "Let nodes take no clients; the next packet sees it.",
        discussion:
            "The last usable node of a pool is not drained without --force, and many at once are drained all or not at all."
    )

    @OptionGroup var nodes: NodesOptions

    @Option(name: .customLong("for"), help: ArgumentHelp("How long, as 90s, 30m, 2h or 7d.", valueName: "time"))
    var length: Length?

    @Flag(help: "Drain them though no usable node of a pool is left.")
    var force = false

    @OptionGroup var wish: WishOptions

    func run() throws(ControlFailure) { try wish.ask(.drained, of: nodes, for: length, force: force) }
}

struct NodeUndrainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undrain",
        abstract: "Withdraw what people said of nodes, maintenance too: their checks decide again.",
        discussion: "Where nothing checks a node, it is up.")

    @OptionGroup var nodes: NodesOptions

    @OptionGroup var wish: WishOptions

    func run() throws(ControlFailure) { try wish.ask(.auto, of: nodes) }
}

struct NodeMaintenanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "maintenance", abstract: "Let nodes take no clients for a time, now or later.",
        discussion: """
            It is refused where a pool would have no usable node then, as others are planned to be out. Where that turns out \
            only when it shall begin, it waits until another node is usable. nearcast node undrain calls it off.
            """)

    @OptionGroup var nodes: NodesOptions

    @Option(name: .customLong("for"), help: ArgumentHelp("How long, as 90s, 30m, 2h or 7d.", valueName: "time"))
    var length: Length

    @Option(help: ArgumentHelp("When it begins, as 2027-01-31T22:00:00Z. (default: now)", valueName: "time"))
    var start: TimePoint?

    @Flag(help: "Though no usable node of a pool is left.")
    var force = false

    @OptionGroup var wish: WishOptions

    func run() throws(ControlFailure) {
        try wish.ask(.maintenance, of: nodes, startsAt: start?.date, for: length, force: force)
    }
}
