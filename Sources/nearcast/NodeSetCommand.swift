public import ArgumentParser
import CommandLineText
public import ControlAPI
import Glibc

struct NodeSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Take a node out, or back in; the next packet sees it.",
        discussion: "up: it takes clients. down: it does not work. drained: it works, and shall take no clients.")

    @Argument(help: "The node.")
    var id: String

    @Argument(help: "The state it shall have.")
    var state: NodeStateChange.Wish

    @Option(help: ArgumentHelp("Why, kept with the change.", valueName: "text"))
    var reason: String?

    @Option(help: ArgumentHelp("Who wishes it. (default: $SUDO_USER, else $USER, else the account)", valueName: "name"))
    var author: String?

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func run() throws(ControlFailure) {
        let change = NodeStateChange(state: state, reason: reason, author: author ?? Self.caller)
        let node = try daemon.client.setNode(id, to: change)
        output.write(node) { _ in node.changeText }
    }

    private static var caller: String? {
        let variables = ["SUDO_USER", "USER"].compactMap(Terminal.variable)
        // Services and cron have neither.
        return variables.first { !$0.isEmpty } ?? getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) }
    }
}

extension NodeStateChange.Wish: ExpressibleByArgument {}
