import ArgumentParser
import ControlAPI
import Foundation
import Logging

@main
struct Nearcastd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearcastd",
        abstract: "Nearcast's daemon: answers DNS from the network driver, with the nearest healthy node.",
        version: nearcastVersion)

    @Option(name: [.customLong("config"), .short], help: "The configuration file.")
    var config = "/etc/nearcast/nearcast.yaml"

    @Option(
        help: "How much to log: trace, debug, info, notice, warning, error or critical.",
        transform: { text in
            guard let level = Logger.Level(rawValue: text) else {
                throw ValidationError("there is no log level \"\(text)\"")
            }
            return level
        })
    var logLevel = Logger.Level.info

    @Flag(help: "Replace the nearcastd that answers at the configuration's control path: no query is lost.")
    var takeover = false

    func run() async throws {
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        var logger = Logger(label: "nearcastd")
        logger.logLevel = logLevel
        LoadingThread.keepLittleMemory()
        do { try await Daemon(configurationPath: config, takesOver: takeover, logger: logger).run() } catch {
            FileHandle.standardError.write(Data("nearcastd: \(error)\n".utf8))
            throw ExitCode.failure
        }
    }
}
