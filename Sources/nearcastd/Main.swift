import ArgumentParser
import ControlPlane
import DaemonServices
import Glibc
import Logging
import Logs
import ManagementTypes

@main
struct Nearcastd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearcastd",
        abstract: "Nearcast's daemon: answers DNS from the network driver, with the nearest healthy node.",
        version: nearcastVersion)

    @Argument(help: "The configuration file (default: /etc/nearcast/nearcast.yaml).")
    var file: String?

    @Option(name: [.customLong("config"), .short], help: ArgumentHelp("The same.", valueName: "file"))
    var config: String?

    @Option(
        help: "How much to log: trace, debug, info, notice, warning, error or critical.",
        transform: { text in
            guard let level = Logger.Level(rawValue: text) else {
                throw ValidationError("there is no log level \"\(text)\"")
            }
            return level
        })
    var logLevel = Logger.Level.info

    @Option(
        help: "The format of log lines: logfmt or json.",
        transform: { text in
            guard let format = LogFormat(rawValue: text) else {
                throw ValidationError("there is no log format \"\(text)\"")
            }
            return format
        })
    var logFormat = LogFormat.logfmt

    @Flag(help: "Replace the nearcastd that answers at the configuration's control path: no query is lost.")
    var takeover = false

    @Option(
        help: "Seconds, 1 to 3600, that a successor may be silent while it takes over; then this daemon goes on.",
        transform: { text in
            guard let seconds = Int(text), (1...3_600).contains(seconds) else {
                throw ValidationError("\(text) is not a number of seconds from 1 to 3600")
            }
            return seconds
        })
    var handoverLimit = 60

    func validate() throws {
        if file != nil, config != nil {
            throw ValidationError("give the configuration file once: FILE or --config FILE")
        }
    }

    func run() async throws {
        let output = LineLogHandler.Output(logFormat, isJournal: LineLogHandler.Output.isJournal())
        LoggingSystem.bootstrap { _ in LineLogHandler(output) }
        var logger = Logger(label: "nearcastd")
        logger.logLevel = logLevel
        // New files belong to their owner alone, whatever the umask of the shell. What others may use, such as the
        // control socket, is opened to them once it is ready.
        umask(0o077)
        LoadingThread.keepLittleMemory()
        do {
            try await Daemon(
                configurationPath: file ?? config ?? "/etc/nearcast/nearcast.yaml", takesOver: takeover,
                handoverLimit: .seconds(handoverLimit), logger: logger
            ).run()
        } catch {
            let problems = (error as? StartupFailure)?.problems ?? ["\(error)"]
            for problem in problems { logger.critical("cannot run", metadata: ["error": "\(problem)"]) }
            throw ExitCode(ExitStatus(error)?.rawValue ?? EXIT_FAILURE)
        }
    }
}
