import ArgumentParser
import CFastPathABI
import CommandLineText
import ConfigurationModel
import ConfigurationYAML
import FoundationEssentials
import Glibc
import Health
import HealthChecks
import Location
import ModelCompiler
import Resolution
import Steering
import Zones

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a configuration with its zones and database, without serving it.",
        discussion:
            "Loads everything as the daemon does. Prints each problem with file, line and column, or what would be served."
    )

    @Argument(help: ArgumentHelp("The configuration file.", valueName: "config"))
    var path: String

    @OptionGroup var output: OutputOptions

    func run() throws(ExitCode) {
        let report = Terminal.during("reading zones and database …") { Self.check(path) }
        if report.ok || output.json {
            output.write(report, text: report.text)
        } else {
            Terminal.writeError(report.text(Terminal.palette(of: STDERR_FILENO)))
        }
        guard report.ok else { throw ExitCode.failure }
    }

    private static func check(_ path: String) -> CheckReport {
        var slots = SlotTable()
        // The compiler reports problems of the file itself.
        var (problems, noticed): ([String], [String]) = ([], [])
        if let configuration = try? ServerConfiguration.load(path: path) {
            (problems, noticed) = ListenerFiles.check(configuration)
            problems += AuthorityFiles.problems(of: configuration.nodes.flatMap(\.health.checks)).map {
                "\(path): \($0)"
            }
        }
        do throws(LoadProblem) {
            let loaded = try ModelCompiler.compile(configuration: path, epoch: 1, slots: &slots)
            let warnings = loaded.warnings + noticed
            let model = problems.isEmpty ? size(of: loaded) : nil
            return CheckReport(configuration: path, problems: problems, warnings: warnings, model: model)
        } catch {
            return CheckReport(
                configuration: path, problems: error.problems + problems,
                warnings: error.warnings + noticed)
        }
    }

    private static func size(of loaded: LoadedModel) -> CheckReport.ModelSize {
        let model = loaded.model
        let geo = loaded.geo.summary
        let digest = String(model.digest, radix: 16)
        return CheckReport.ModelSize(
            digest: String(repeating: "0", count: 16 - digest.count) + digest,
            nodes: loaded.configuration.nodes.count, pools: loaded.configuration.pools.count,
            zones: model.zones.zones.count, names: model.zones.zones.reduce(0) { $0 + $1.nameCount },
            tailoredNames: loaded.configuration.tailored.count, steeringTables: model.steering.tables.count,
            maximumSteeringTables: Int(NC_MAX_STEERING_TABLES), places: geo.places,
            locationTableBytes: UInt64(model.location.bytes.count), geo: geo.path.isEmpty ? nil : .init(geo))
    }
}

extension CheckReport.Database {
    fileprivate init(_ summary: GeoSummary) {
        self.init(
            path: summary.path, type: summary.type, builtAt: Date(timeIntervalSince1970: Double(summary.buildEpoch)),
            networks: summary.networks, mixedBlocks: summary.mixedBlocks,
            loadSeconds: summary.seconds)
    }
}
