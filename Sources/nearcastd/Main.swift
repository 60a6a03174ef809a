public import ArgumentParser
import Foundation
public import Logging

@main
struct Nearcastd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearcastd",
        abstract: "Nearcast's daemon: answers DNS from the network driver, with the nearest healthy node.",
        version: nearcastVersion)

    @Option(name: [.customLong("config"), .short], help: "The configuration file.")
    var config = "/etc/nearcast/nearcast.yaml"

    @Option(help: "How much to log: trace, debug, info, notice, warning, error or critical.")
    var logLevel: Logger.Level = .info

    func run() async throws {
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        var logger = Logger(label: "nearcastd")
        logger.logLevel = logLevel
        do { try await Daemon(configurationPath: config, logger: logger).run() } catch {
            FileHandle.standardError.write(Data("nearcastd: \(error)\n".utf8))
            throw ExitCode.failure
        }
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

let nearcastVersion = "0.1.0"
