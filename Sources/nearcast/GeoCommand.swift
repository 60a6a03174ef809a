import ArgumentParser
import CommandLineText
import ConfigurationModel
import ConfigurationYAML
import ControlFailures
import Foundation
import GeoData

struct GeoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "geo", abstract: "Install a newer city database, or return to the one before.",
        subcommands: [GeoUpdateCommand.self, GeoRollbackCommand.self])
}

/// Where the database is.
struct DatabaseOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The configuration whose geo.database is replaced.", valueName: "file"))
    var config: String?

    @Option(
        help: ArgumentHelp("The database to replace. (default: /var/lib/nearcast/city.mmdb)", valueName: "path"))
    var database: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if config != nil, database != nil { throw ValidationError("give --config or --database, not both") }
    }

    func installation() throws(ControlFailure) -> DatabaseInstallation {
        guard let config else { return DatabaseInstallation(path: database ?? "/var/lib/nearcast/city.mmdb") }
        do throws(ConfigurationError) {
            return DatabaseInstallation(path: try ServerConfiguration.load(path: config).geo.database.path)
        } catch { throw ControlFailure(.invalid, "\(error)", remedy: "correct the configuration, or give --database") }
    }
}

struct GeoUpdateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Install a city database from a file or a URL.",
        discussion: """
            The file may be compressed with gzip. It is read completely first: one that is damaged, has no coordinates, or \
            lost more than a tenth of its networks is refused, and nothing changes. The database that was there is kept. A \
            running daemon notices the new one by itself, unless its configuration has watch: false.
            """)

    @Argument(help: "A path, or an http or https URL.")
    var source: String

    @Flag(help: "Install it although it is much smaller than the one in place.")
    var force = false

    @OptionGroup var options: DatabaseOptions

    func run() throws(ControlFailure) {
        let installation = try options.installation()
        let temporary = installation.temporaryPath
        defer { try? FileManager.default.removeItem(atPath: temporary) }
        try DatabaseSource(text: source).write(to: temporary)
        do throws(GeoDataError) {
            let outcome = try Terminal.during("reading the database …") {
                Result { () throws(GeoDataError) in try installation.install(isForced: force) }
            }.get()
            let report = GeoInstallReport(installation, outcome, action: .update)
            options.output.write(report, text: report.text)
        } catch {
            let what = error.path == temporary ? "the database of \(source)" : "the database \(error.path)"
            throw ControlFailure(.invalid, "\(what) \(error.problem)", remedy: "nothing has changed")
        }
    }
}

struct GeoRollbackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback", abstract: "Return to the city database before the last update.",
        discussion: "The two databases are exchanged, so that a second rollback undoes the first.")

    @OptionGroup var options: DatabaseOptions

    func run() throws(ControlFailure) {
        let installation = try options.installation()
        do throws(GeoDataError) {
            let outcome = try Terminal.during("reading the database …") {
                Result { () throws(GeoDataError) in try installation.rollBack() }
            }.get()
            let report = GeoInstallReport(installation, outcome, action: .rollback)
            options.output.write(report, text: report.text)
        } catch { throw ControlFailure(.invalid, "\(error)", remedy: "nothing has changed") }
    }
}

extension GeoInstallReport {
    fileprivate init(
        _ installation: DatabaseInstallation, _ outcome: DatabaseInstallation.Outcome, action: Action
    ) {
        func database(_ figures: DatabaseInstallation.Figures) -> Database {
            Database(
                type: figures.type, builtAt: Date(timeIntervalSince1970: Double(figures.buildEpoch)),
                networks: figures.networks)
        }
        self.init(
            action: action, path: installation.path, installed: database(outcome.installed),
            earlier: outcome.earlier.map(database),
            previousPath: outcome.earlier == nil ? nil : installation.previousPath)
    }
}
