import ArgumentParser
import CommandLineText
import ControlAPI
import Glibc

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
            // Pins of a living daemon are its own to remove, even when it does not answer.
            if let pid = RunningDaemon.find() {
                guard access(daemon.socket, F_OK) != 0 else { throw error }
                throw ControlFailure(
                    error.code, "nearcastd runs as process \(pid), but not with the socket \(daemon.socket)",
                    remedy: "give the control path of its configuration with --socket, or stop it first")
            }
            return try Leftovers.remove()
        }
    }
}
