import ArgumentParser
import ControlAPI

struct NodeDrainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain", abstract: "Let a node take no clients; the next packet sees it.",
        discussion: "The last usable node of a pool is not drained without --force.")

    @Argument(help: "The node.")
    var id: String

    @Option(name: .customLong("for"), help: ArgumentHelp("How long, as 90s, 30m, 2h or 7d.", valueName: "time"))
    var length: Length?

    @Flag(help: "Drain it though it is the last usable node of a pool.")
    var force = false

    @OptionGroup var wish: WishOptions

    func run() throws(ControlFailure) { try wish.ask(.drained, of: id, for: length, force: force) }
}

struct NodeUndrainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undrain",
        abstract: "Withdraw what people said of a node, maintenance too: its checks decide again.",
        discussion: "Where nothing checks it, it is up.")

    @Argument(help: "The node.")
    var id: String

    @OptionGroup var wish: WishOptions

    func run() throws(ControlFailure) { try wish.ask(.auto, of: id) }
}

struct NodeMaintenanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "maintenance", abstract: "Let a node take no clients for a time, now or later.",
        discussion: "nearcast node undrain calls it off.")

    @Argument(help: "The node.")
    var id: String

    @Option(name: .customLong("for"), help: ArgumentHelp("How long, as 90s, 30m, 2h or 7d.", valueName: "time"))
    var length: Length

    @Option(help: ArgumentHelp("When it begins, as 2027-01-31T22:00:00Z. (default: now)", valueName: "time"))
    var start: TimePoint?

    @Flag(help: "Though it is the last usable node of a pool.")
    var force = false

    @OptionGroup var wish: WishOptions

    func run() throws(ControlFailure) {
        try wish.ask(.maintenance, of: id, startsAt: start?.date, for: length, force: force)
    }
}
