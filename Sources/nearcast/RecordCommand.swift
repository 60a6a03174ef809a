import ArgumentParser
import CommandLineText
import ControlFailures
import Glibc
import ManagementClient
import ManagementTypes

struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Show the records of zones, and change them while they are served.",
        discussion: """
            Changes are stored in the state database, and applied over the zone's file whenever that is read. \
            nearcast record list ORIGIN --changed shows them, export prints the zone as a zone file, and drop discards \
            them.
            """,
        subcommands: [
            RecordListCommand.self, RecordSetCommand.self, RecordDeleteCommand.self, RecordApplyCommand.self,
            RecordExportCommand.self, RecordDropCommand.self, RecordHistoryCommand.self, RecordUndoCommand.self,
        ])
}

/// The zone of a change, and its author.
struct RecordChangeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The zone. (default: the zone of the name)", valueName: "origin"))
    var zone: String?

    @Option(
        help: ArgumentHelp(
            "Operator recorded with the change, after the account. (default: $SUDO_USER)", valueName: "name"))
    var author: String?

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    /// Sends changes, and prints their result.
    ///
    /// - Parameter isDryRun: whether nothing is to change.
    func ask(_ changes: [RRsetEdit], at name: String, isDryRun: Bool = false) throws(ControlFailure) {
        let client = daemon.patientClient
        let origin: String
        if let zone { origin = zone } else { origin = try client.zone(of: name).origin }
        let change = RRsetsChange(changes: changes, author: author ?? Terminal.sudoUser)
        if isDryRun {
            let preview = try client.preview(change, of: origin)
            return output.write(preview, text: preview.text)
        }
        let receipt = try client.change(change, of: origin)
        output.write(receipt, text: receipt.text)
    }
}

extension DaemonOptions {
    /// For requests that take long in large zones.
    var patientClient: ControlClient { ControlClient(path: socket, timeoutSeconds: 600) }
}

struct RecordListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the records of a zone, or of a name in it.")

    @Argument(help: "The zone.")
    var origin: String

    @Argument(help: "The full name. (default: all)")
    var name: String?

    @Flag(help: "Only RRsets that differ from the zone's file, deleted ones too.")
    var changed = false

    @Option(help: ArgumentHelp("The most RRsets to list, 1 to 100000.", valueName: "count"))
    var limit = 1_000

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...100_000).contains(limit) else {
            throw ValidationError("--limit is \(limit), expected a number from 1 to 100000")
        }
    }

    func run() throws(ControlFailure) {
        let request = RRsetsRequest(zone: origin, name: name, changed: changed, limit: limit)
        let report = try daemon.patientClient.rrsets(request)
        output.write(report, text: report.text)
    }
}

struct RecordSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Replace a name's records of a type.",
        discussion: """
            Each DATA is one record in zone-file syntax, quoted if it has spaces. Names in it end with a dot:
              nearcast record set www.example.com 300 A 192.0.2.1 192.0.2.2
              nearcast record set example.com 3600 MX "10 mail.example.com."
            Text with spaces needs quotes inside those of the shell; otherwise each word is a string:
              nearcast record set example.com 3600 TXT '"v=spf1 mx -all"'
            """)

    @Argument(help: "The full name.")
    var name: String

    @Argument(help: "The TTL: seconds, or a time such as 5m or 1h30m.", transform: RecordSetCommand.timeToLive)
    var ttl: UInt32

    @Argument(help: "The type, such as A, TXT or TYPE65280.")
    var type: String

    @Argument(help: "The records.")
    var data: [String]

    @OptionGroup var options: RecordChangeOptions

    func run() throws(ControlFailure) {
        try options.ask([RRsetEdit(name: name, type: type, ttl: ttl, records: data)], at: name)
    }

    private static func timeToLive(_ text: String) throws -> UInt32 {
        guard let seconds = CommandArguments.timeToLive(text) else {
            throw ValidationError("\"\(text)\" is not a TTL, expected seconds or a time such as 300, 5m or 1h30m")
        }
        return seconds
    }
}

struct RecordDeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a name's records of a type, or all of them.",
        discussion: "SOA and NS of the zone's own name stay.")

    @Argument(help: "The full name.")
    var name: String

    @Argument(help: "The type. (default: all)")
    var type: String?

    @OptionGroup var options: RecordChangeOptions

    func run() throws(ControlFailure) {
        try options.ask([RRsetEdit(name: name, type: type ?? "ANY")], at: name)
    }
}

struct RecordApplyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Make many changes of a zone together, or none.",
        discussion: """
            The file is a JSON list of changes. A change without records deletes the RRset:
              [{"name": "www.example.com", "type": "A"},
               {"name": "www.example.com", "type": "CNAME", "ttl": 300, "records": ["web.example.net."]}]
            """)

    @Argument(help: "The zone.")
    var origin: String

    @Argument(help: "The file; - is standard input.")
    var file: String

    @Flag(help: "Print the lines that would come and go, and change nothing.")
    var dryRun = false

    @OptionGroup var options: RecordChangeOptions

    func run() throws(ControlFailure) {
        let changes = try RRsetEdit.list(of: Terminal.contents(of: file), in: file)
        var options = options
        options.zone = origin
        try options.ask(changes, at: origin, isDryRun: dryRun)
    }
}

struct RecordExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print a zone as a zone file, with all changes.",
        discussion: """
            The output may replace the zone's file: changes that the file contains are then discarded. It has no tailored \
            names of the configuration.
            """)

    @Argument(help: "The zone.")
    var origin: String

    @OptionGroup var daemon: DaemonOptions

    func run() throws(ControlFailure) {
        Terminal.write(String(decoding: try daemon.patientClient.export(origin), as: UTF8.self))
    }
}

struct RecordDropCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Discard changes, and serve the zone as its file has it.",
        discussion: """
            All changes of the zone, or those of a name (--name) or a type (--type). --name may be repeated: all are \
            discarded together, or none.
            """)

    @Argument(help: "The zone.")
    var origin: String

    @Option(name: .customLong("name"), help: ArgumentHelp("Only changes of this full name.", valueName: "name"))
    var names: [String] = []

    @Option(help: ArgumentHelp("Only changes of this type.", valueName: "type"))
    var type: String?

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func run() throws(ControlFailure) {
        let receipt = try daemon.patientClient.forgetChanges(of: origin, names: names, type: type)
        output.write(receipt, text: receipt.text)
    }
}
