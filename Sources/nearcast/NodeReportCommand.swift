public import ArgumentParser
import CommandLineText
import ControlFailures
import ManagementClient
import ManagementTypes

struct NodeReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Report what an external check sees of a node: its state for some time, its load.",
        discussion: """
            A reported state overrides the daemon's own checks; operators override it. It ends unless it is repeated in \
            time. --state auto withdraws it.
            """)

    @Argument(help: "The node.")
    var id: String

    @Option(help: "Its state: up, degraded, down, drained or auto.")
    var state: NodeStatement.State?

    @Option(
        help: ArgumentHelp("With degraded: its share of clients in 256ths. (default: 128)", valueName: "share"))
    var share: Int?

    @Option(help: ArgumentHelp("Its load now, in the unit of --capacity.", valueName: "number"))
    var load: Double?

    @Option(help: ArgumentHelp("The most load that it can take.", valueName: "number"))
    var capacity: Double?

    @Option(help: ArgumentHelp("Open connections.", valueName: "count"))
    var connections: Int?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "How long the state is valid, such as 90s, 30m, 2h or 7d. (default: 60s; with --automation until withdrawn)",
            valueName: "time"))
    var length: Length?

    @Flag(help: "Report as automation, which overrides external checks.")
    var automation = false

    @Flag(help: "Take it out even if it is the last usable node of a pool.")
    var force = false

    @OptionGroup var change: ChangeOptions

    func validate() throws {
        guard state != nil || load != nil || capacity != nil || connections != nil else {
            throw ValidationError("nothing to report: give --state, --load, --capacity or --connections")
        }
    }

    func run() throws(ControlFailure) {
        let statement = NodeStatement(
            load: load, capacity: capacity, connections: connections, state: state, share: share,
            forSeconds: length?.seconds, reason: change.reason, author: change.callerName,
            authority: automation ? .automation : .external, force: force ? true : nil)
        let receipt = try change.daemon.client.state(statement, of: id)
        change.output.write(receipt) { _ in receipt.text }
    }
}

extension NodeStatement.State: ExpressibleByArgument {}
