import ArgumentParser
import CommandLineText
import ControlFailures
import Glibc
import ManagementClient
import ManagementTypes

struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Look at the records of zones, and change single ones while they are served.",
        discussion: """
            Changes are kept in the state database, and laid over the zone's file whenever that is read. \
            nearcast record list ORIGIN --changed shows them, export writes the zone as a file has it, and drop forgets \
            them.
            """,
        subcommands: [
            RecordListCommand.self, RecordSetCommand.self, RecordDeleteCommand.self, RecordApplyCommand.self,
            RecordExportCommand.self, RecordDropCommand.self,
        ])
}

/// Whose zone is changed, and by whom.
struct RecordChangeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The zone. (default: the one that the name is in)", valueName: "origin"))
    var zone: String?

    @Option(help: ArgumentHelp("Who asks for it; kept behind the account. (default: $SUDO_USER)", valueName: "name"))
    var author: String?

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    /// Asks for changes, and tells what came of them.
    func ask(_ changes: [RRsetWish], at name: String) throws(ControlFailure) {
        let client = daemon.patientClient
        let origin: String
        if let zone { origin = zone } else { origin = try client.zone(of: name).origin }
        let change = RRsetsChange(changes: changes, author: author ?? Terminal.sudoUser)
        let receipt = try client.change(change, of: origin)
        output.write(receipt) { _ in receipt.text }
    }
}

extension DaemonOptions {
    /// For what takes long in large zones.
    var patientClient: ControlClient { ControlClient(path: socket, timeoutSeconds: 600) }
}

struct RecordListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the records of a zone, or of a name in it.")

    @Argument(help: "The zone.")
    var origin: String

    @Argument(help: "The name, in full. (default: all)")
    var name: String?

    @Flag(help: "Only RRsets that were changed since the file, also those that were deleted.")
    var changed = false

    @Option(help: ArgumentHelp("At most so many RRsets, 1 to 100000.", valueName: "count"))
    var limit = 1_000

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...100_000).contains(limit) else { throw ValidationError("--limit is 1 to 100000") }
    }

    func run() throws(ControlFailure) {
        let request = RRsetsRequest(zone: origin, name: name, changed: changed, limit: limit)
        let report = try daemon.patientClient.rrsets(request)
        output.write(report, text: report.text)
    }
}

struct RecordSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Give a name its records of a type, in the place of those that it has.",
        discussion: """
            Each DATA is one record as zone files have it, in quotes where it has blanks; names in it end with a dot:
              nearcast record set www.example.com 300 A 192.0.2.1 192.0.2.2
              nearcast record set example.com 3600 MX "10 mail.example.com."
            Text with blanks needs quotes of its own inside those of the shell, or each word is a string:
              nearcast record set example.com 3600 TXT '"v=spf1 mx -all"'
            """)

    @Argument(help: "The name, in full.")
    var name: String

    @Argument(help: "How long resolvers may keep it, in seconds.")
    var ttl: UInt32

    @Argument(help: "The type, as A, TXT or TYPE65280.")
    var type: String

    @Argument(help: "The records.")
    var data: [String]

    @OptionGroup var options: RecordChangeOptions

    func run() throws(ControlFailure) {
        try options.ask([RRsetWish(name: name, type: type, ttl: ttl, records: data)], at: name)
    }
}

struct RecordDeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a name's records of a type, or all that it has.",
        discussion: "Of a zone's own name SOA and NS stay.")

    @Argument(help: "The name, in full.")
    var name: String

    @Argument(help: "The type. (default: all)")
    var type: String?

    @OptionGroup var options: RecordChangeOptions

    func run() throws(ControlFailure) {
        try options.ask([RRsetWish(name: name, type: type ?? "ANY")], at: name)
    }
}

struct RecordApplyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Make many changes of a zone together, or none.",
        discussion: """
            The file has JSON, a list of changes; without records an RRset is deleted:
              [{"name": "www.example.com", "type": "A"},
               {"name": "www.example.com", "type": "CNAME", "ttl": 300, "records": ["web.example.net."]}]
            """)

    @Argument(help: "The zone.")
    var origin: String

    @Argument(help: "The file; - is standard input.")
    var file: String

    @OptionGroup var options: RecordChangeOptions

    func run() throws(ControlFailure) {
        let changes = try RRsetWish.list(of: Terminal.contents(of: file), in: file)
        var options = options
        options.zone = origin
        try options.ask(changes, at: origin)
    }
}

struct RecordExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print a zone as a zone file has it, with all changes.",
        discussion: """
            What it prints may take the place of the zone's file: changes that a file has too are kept no longer. Names that \
            the configuration tailors are not in it.
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
        commandName: "drop", abstract: "Forget changes: the zone is as its file has it.",
        discussion: """
            All of the zone, or with --name those of a name, and with --type those of a type. --name may be given several \
            times: all are forgotten together, or none.
            """)

    @Argument(help: "The zone.")
    var origin: String

    @Option(name: .customLong("name"), help: ArgumentHelp("Only changes of this name, in full.", valueName: "name"))
    var names: [String] = []

    @Option(help: ArgumentHelp("Only changes of this type.", valueName: "type"))
    var type: String?

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func run() throws(ControlFailure) {
        let receipt = try daemon.patientClient.forgetChanges(of: origin, names: names, type: type)
        output.write(receipt) { _ in receipt.text }
    }
}
