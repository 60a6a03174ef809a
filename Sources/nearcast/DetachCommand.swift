import ArgumentParser
import CommandLineText
import ControlFailures
import ManagementClient
import ManagementTypes

struct DetachCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "detach", abstract: "Take the program off every interface and remove what is pinned.",
        discussion: """
            A running daemon does it, and goes on answering from user space. Without one, what it left pinned is removed; \
            needs root.
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
