import ArgumentParser
import CommandLineText
import HostCheck

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check this host and its interfaces for what the fast path needs.",
        discussion: """
            Needs no daemon and changes nothing. As root it also sees whether programs can be loaded, and which process \
            holds port 53. The exit code is 1 if something keeps the fast path from working.
            """)

    @Option(
        help: ArgumentHelp("An interface; may be repeated. (default: all but loopback)", valueName: "name"))
    var interface: [String] = []

    @OptionGroup var output: OutputOptions

    func run() throws(ExitCode) {
        let report = DoctorReport(HostFacts.here(interfaces: interface).findings)
        output.write(report, text: report.text)
        guard report.ok else { throw ExitCode.failure }
    }
}
