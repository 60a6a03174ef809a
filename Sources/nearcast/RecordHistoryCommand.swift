import ArgumentParser
import CommandLineText
import ControlFailures
import ManagementClient
import ManagementTypes

struct RecordHistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show the changes of a zone's records, the latest first.",
        discussion: "Each has the RRset before and after, and the number that nearcast record undo takes.")

    @Argument(help: "The zone, or a full name in a zone: then only its changes.")
    var origin: String

    @Argument(help: "Only changes of this full name. (default: all)")
    var name: String?

    @Option(help: ArgumentHelp("Only changes of this type.", valueName: "type"))
    var type: String?

    @Option(help: ArgumentHelp("The most changes to show, 1 to 10000.", valueName: "count"))
    var limit = 20

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...10_000).contains(limit) else {
            throw ValidationError("--limit is \(limit), expected a number from 1 to 10000")
        }
    }

    func run() throws(ControlFailure) {
        let client = daemon.client
        let zone = client.origin(of: origin)
        let request = RecordHistoryRequest(
            zone: zone ?? origin, name: name ?? (zone == nil ? nil : origin), type: type, limit: limit)
        let history = try client.recordHistory(request)
        output.write(history, text: history.text)
    }
}

struct RecordUndoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Make the RRsets of a change what they were before it.",
        discussion: """
            All of them or none: it is refused where one of them is no longer as the change left it. The undoing is \
            a change of its own, and can be undone too.
            """)

    @Argument(help: "The zone, or a full name in it.")
    var origin: String

    @Argument(help: "The number of the change, as nearcast record history shows it.")
    var change: UInt64

    @Flag(help: "Print the lines that would come and go, and change nothing.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "Operator recorded with the change, after the account. (default: $SUDO_USER)", valueName: "name"))
    var author: String?

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func run() throws(ControlFailure) {
        let client = daemon.patientClient
        let origin = client.origin(of: origin) ?? origin
        if dryRun {
            let preview = try client.previewUndo(change, of: origin)
            return output.write(preview, text: preview.text)
        }
        let receipt = try client.undo(change, of: origin, author: author ?? Terminal.sudoUser)
        output.write(receipt, text: receipt.text)
    }
}

extension ControlClient {
    /// The zone of a full name in it. `nil`: the text is a zone itself, or is in none that is served.
    fileprivate func origin(of text: String) -> String? {
        func absolute(_ name: String) -> String { name.lowercased() + (name.hasSuffix(".") ? "" : ".") }
        guard let origin = try? zone(of: text).origin, absolute(origin) != absolute(text) else { return nil }
        return origin
    }
}
