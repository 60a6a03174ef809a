import ArgumentParser
import CommandLineText
import HostCheck

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look at this host and its interfaces, and say what the fast path would have otherwise.",
        discussion: """
            Needs no daemon and changes nothing. As root it also sees whether programs can be loaded, and who has port 53. \
            Exit code 1 when something keeps the fast path from working.
            """)

    @Option(
        help: ArgumentHelp("An interface; may be given more than once. All but loopback otherwise.", valueName: "name"))
    var interface: [String] = []

    @OptionGroup var output: OutputOptions

    func run() throws(ExitCode) {
        let report = DoctorReport(HostFacts.here(interfaces: interface).findings)
        output.write(report, text: report.text)
        guard report.ok else { throw ExitCode.failure }
    }
}
