import ArgumentParser
import CommandLineText
import ManagementClient
import ManagementTypes

struct AttachCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach", abstract: "Attach the XDP program again after `nearcast detach`.",
        discussion: """
            Also tries interfaces again where the kernel had refused the program. Returns when the program answers. If it \
            is on no interface then, the exit code is 1.
            """)

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        // The tables of a large model take seconds.
        let report = try ControlClient(path: daemon.socket, timeoutSeconds: 600).attach()
        output.write(report, text: report.text)
        guard !report.isNowhere else { throw ExitCode.failure }
    }
}
