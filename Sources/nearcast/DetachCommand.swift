import ArgumentParser
import CommandLineText
import ControlFailures
import ManagementClient
import ManagementTypes

struct DetachCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "detach", abstract: "Detach the XDP program from every interface and remove its pins.",
        discussion: """
            A running daemon detaches its program and goes on answering from user space. Without a daemon, the pins that \
            one left are removed; that needs root.
            """)

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func run() throws(ControlFailure) {
        let report = try detach()
        output.write(report, text: report.text)
    }

    private func detach() throws(ControlFailure) -> DetachReport {
        do throws(ControlFailure) {
            return try daemon.client.detach()
        } catch {
            guard error.code == .unavailable else { throw error }
            return try Leftovers.remove()
        }
    }
}
