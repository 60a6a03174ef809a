import ArgumentParser
import CommandLineText
import Glibc
import ManagementClient

/// How results are printed.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON instead of text.")
    var json = false

    /// Prints a result on standard output.
    func write(_ report: some Encodable, text: (Palette) -> String) {
        if json {
            Terminal.write(json: report)
        } else {
            Terminal.write(text(Terminal.palette(of: STDOUT_FILENO)))
        }
    }
}

/// Which daemon to ask.
struct DaemonOptions: ParsableArguments {
    @Option(
        name: .customLong("socket"),
        help: ArgumentHelp(
            "The daemon's control socket. (default: $NEARCAST_SOCKET, else \(ControlSocket.standard))",
            valueName: "path"))
    private var given: String?

    var socket: String {
        ControlSocket.path(given: given, variable: getenv(ControlSocket.variable).map { String(cString: $0) })
    }

    var client: ControlClient { ControlClient(path: socket) }
}
