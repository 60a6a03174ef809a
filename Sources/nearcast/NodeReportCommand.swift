public import ArgumentParser
import CommandLineText
import ControlFailures
import ManagementClient
import ManagementTypes

struct NodeReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Say what a check elsewhere sees of a node: its state for a time, how busy it is.",
        discussion: """
            It stands above what the daemon's own checks say, and below what people say. What is not said again in time \
            ends. --state auto withdraws it.
            """)

    @Argument(help: "The node.")
    var id: String

    @Option(help: "The state it has: up, degraded, down, drained or auto.")
    var state: NodeStatement.State?

    @Option(
        help: ArgumentHelp("Its share of clients in 256ths, where it is degraded. (default: 128)", valueName: "share"))
    var share: Int?

    @Option(help: ArgumentHelp("What it does now, in the unit of --capacity.", valueName: "number"))
    var load: Double?

    @Option(help: ArgumentHelp("What it can do.", valueName: "number"))
    var capacity: Double?

    @Option(help: ArgumentHelp("Open connections.", valueName: "count"))
    var connections: Int?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "How long the state holds, as 90s, 30m, 2h or 7d. (default: 60s; with --automation until it is withdrawn)",
            valueName: "time"))
    var length: Length?

    @Flag(help: "Speak for people, above checks elsewhere.")
    var automation = false

    @Flag(help: "Take it out though it is the last usable node of a pool.")
    var force = false

    @OptionGroup var wish: WishOptions

    func validate() throws {
        guard state != nil || load != nil || capacity != nil || connections != nil else {
            throw ValidationError("there is nothing to say: give --state, --load, --capacity or --connections")
        }
    }

    func run() throws(ControlFailure) {
        let statement = NodeStatement(
            load: load, capacity: capacity, connections: connections, state: state, share: share,
            forSeconds: length?.seconds, reason: wish.reason, author: wish.callerName,
            authority: automation ? .automation : .external, force: force ? true : nil)
        let receipt = try wish.daemon.client.state(statement, of: id)
        wish.output.write(receipt) { _ in receipt.text }
    }
}

extension NodeStatement.State: ExpressibleByArgument {}
