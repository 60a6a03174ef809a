import ArgumentParser
import CommandLineText
import ControlFailures
import Glibc
import ManagementClient
import ManagementTypes

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print every node state change as it happens, until interrupted.",
        discussion: "With --json, one object a line.")

    @Option(
        help: ArgumentHelp(
            "First print the changes after this number, from the journal; 0: all of them.",
            valueName: "sequence"))
    var after: UInt64?

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func run() throws(ControlFailure) {
        let client = ControlClient(path: daemon.socket, timeoutSeconds: 60)
        var latest: UInt64
        if let after { latest = after } else { latest = try client.transitions(after: nil).latest }
        while true {
            let report = try client.transitions(after: latest, waitSeconds: 30)
            if report.latest < latest {
                Terminal.writeError(
                    "nearcast: the journal was reset: its last change is number \(report.latest), before \(latest)\n"
                )
            }
            latest = report.latest
            for transition in report.transitions {
                if output.json {
                    Terminal.write(jsonLine: transition)
                } else {
                    Terminal.write(transition.line(Terminal.palette(of: STDOUT_FILENO)))
                }
            }
        }
    }
}
