import ArgumentParser
import CommandLineText
import ControlAPI

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
        let report = try daemon.client.detach()
        output.write(report, text: report.text)
    }
}
