public import ArgumentParser
import CommandLineText
import ControlFailures
import Foundation
import Glibc
import ManagementClient
public import ManagementTypes

/// Options of every change of a node's state.
struct ChangeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Why; recorded with the change.", valueName: "text"))
    var reason: String?

    @Option(
        help: ArgumentHelp(
            "Operator recorded with the change, after the account. (default: $SUDO_USER)", valueName: "name"))
    var author: String?

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    /// Sends the change, and prints its result.
    func ask(
        _ state: NodeStateChange.Target, of id: String, startsAt: Date? = nil, for length: Length? = nil,
        force: Bool = false
    ) throws(ControlFailure) {
        let change = NodeStateChange(
            state: state, reason: reason, author: callerName, startsAt: startsAt,
            forSeconds: length?.seconds, force: force ? true : nil)
        let node = try daemon.client.setNode(id, to: change)
        output.write(node) { _ in node.changeText }
    }

    /// Sends the change of one node or many, and prints its result.
    func ask(
        _ state: NodeStateChange.Target, of nodes: NodesOptions, startsAt: Date? = nil, for length: Length? = nil,
        force: Bool = false
    ) throws(ControlFailure) {
        if let id = nodes.one { return try ask(state, of: id, startsAt: startsAt, for: length, force: force) }
        let change = NodeStateChange(
            state: state, reason: reason, author: callerName, startsAt: startsAt,
            forSeconds: length?.seconds, force: force ? true : nil)
        let report = try daemon.client.setNodes(
            NodesStateChange(
                nodes: nodes.ids.isEmpty ? nil : nodes.ids, pool: nodes.pool, all: nodes.all ? true : nil,
                change: change))
        output.write(report) { _ in report.text }
    }

    /// The operator's name, which is recorded and proves nothing.
    var callerName: String? {
        author ?? Terminal.sudoUser
    }
}

/// The nodes that a change is for.
struct NodesOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The nodes.", valueName: "id"))
    var ids: [String] = []

    @Option(help: ArgumentHelp("All nodes of a pool.", valueName: "pool"))
    var pool: String?

    @Flag(help: "All nodes.")
    var all = false

    /// The node, if exactly one is named.
    var one: String? { ids.count == 1 && pool == nil && !all ? ids[0] : nil }

    func validate() throws {
        guard [!ids.isEmpty, pool != nil, all].count(where: \.self) == 1 else {
            throw ValidationError("give one of: node ids, --pool POOL, --all")
        }
    }
}

/// A length of time, as in `90s`, `30m`, `2h` or `7d`.
struct Length: ExpressibleByArgument {
    let seconds: Int

    init?(argument: String) {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = argument.last.flatMap({ units[$0] }), let count = Int(argument.dropLast()), count > 0,
            count <= 31_622_400
        else { return nil }
        seconds = count * unit
    }
}

extension NodeStateChange.Target: ExpressibleByArgument {
    /// Maintenance is a command of its own.
    static var ofSet: [Self] { allCases.filter { $0 != .maintenance } }

    public static var allValueStrings: [String] { ofSet.map(\.rawValue) }
}
