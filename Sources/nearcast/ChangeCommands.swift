import ArgumentParser
import CommandLineText
import ControlFailures
import ManagementClient
import ManagementTypes

struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Show what the changed files would do, to every client, and change nothing.",
        discussion: """
            Reads configuration, zones and databases as a reload would. Shows what differs, which clients of which names \
            get another node, and the guards that the change trips. nearcast apply serves exactly this, or nothing.

            Set watch: false in the configuration, or changed files are served before they are planned. With watch: propose \
            they are planned by themselves.
            """)

    @Option(help: ArgumentHelp("Why, for the log and for others.", valueName: "text"))
    var reason: String?

    @OptionGroup var author: AuthorOption
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        // A database takes seconds to read, and the effect of many policies takes longer.
        let client = ControlClient(path: daemon.socket, timeoutSeconds: 600)
        let change = try client.plan(PlanOrder(reason: reason, author: author.name))
        output.write(change, text: change.text)
        guard change.plan?.changes.problems.isEmpty ?? true else { throw ExitCode.failure }
    }
}

struct ApplyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Serve a planned change: exactly as it was planned, or not at all.")

    @Argument(help: "The number of the change, as nearcast plan shows it.")
    var change: UInt64

    @Option(help: ArgumentHelp("A guard of the change that is accepted; may be repeated.", valueName: "guard"))
    var accept: [String] = []

    @OptionGroup var author: AuthorOption
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func run() throws(ControlFailure) {
        let client = ControlClient(path: daemon.socket, timeoutSeconds: 600)
        let applied = try client.apply(change, ApplyOrder(accept: accept, author: author.name))
        output.write(applied, text: applied.text)
    }
}

struct ChangesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes", abstract: "List planned changes, show one of them, or withdraw it.",
        discussion: "The daemon keeps the latest 32, until it ends.")

    @Argument(help: "The number of the change. (default: all)")
    var change: UInt64?

    @Flag(help: "Close the change: it is not to be applied.")
    var withdraw = false

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !withdraw || change != nil else { throw ValidationError("--withdraw needs the number of a change") }
    }

    func run() throws(ControlFailure) {
        guard let change else {
            let all = try daemon.client.changes()
            return output.write(all, text: all.text)
        }
        let found = try withdraw ? daemon.client.withdraw(change) : daemon.client.change(change)
        output.write(found, text: found.text)
    }
}

/// Who acts, besides the account.
struct AuthorOption: ParsableArguments {
    @Option(
        name: .customLong("author"),
        help: ArgumentHelp(
            "Operator recorded with the change, after the account. (default: $SUDO_USER)", valueName: "name"))
    var given: String?

    var name: String? { given ?? Terminal.sudoUser }
}
