import ArgumentParser
import CommandLineText
import ControlFailures
import DNSWire
import IPNetworks
import ManagementClient
import ManagementTypes

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show how one client's query would be answered, on which path, and why.")

    @Argument(help: "The queried name.")
    var name: String

    @Argument(help: "The queried record type.")
    var type = "A"

    @Option(
        help: ArgumentHelp(
            "The client: an address, or the prefix that a client subnet option (ECS) would carry.",
            valueName: "prefix"))
    var from: String

    @Option(
        help: ArgumentHelp(
            "With a prefix: the address that sends the query. It alone decides views and access.",
            valueName: "address"))
    var sender: String?

    @Flag(help: "Show every candidate, not only the twelve that matter most.")
    var all = false

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (try? DomainName(name)) != nil else { throw ValidationError("\"\(name)\" is not a domain name") }
        guard RecordType(type.uppercased()) != nil else {
            throw ValidationError("\"\(type)\" is not a record type, expected one such as A, HTTPS or TYPE64")
        }
        guard IPAddress(from) != nil || IPPrefix(from) != nil else {
            throw ValidationError(
                "--from is \"\(from)\", expected an address such as 192.0.2.1, or a prefix without host bits such as 192.0.2.0/24"
            )
        }
        if let sender, IPAddress(sender) == nil {
            throw ValidationError("--sender is \"\(sender)\", expected an address such as 192.0.2.1")
        }
    }

    func run() throws(ControlFailure) {
        let report = try daemon.client.explain(
            ExplainRequest(name: name, type: type.uppercased(), from: from, sender: sender))
        output.write(report) { report.text($0, allCandidates: all) }
    }
}
