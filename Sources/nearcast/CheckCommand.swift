import ArgumentParser
import CFastPathABI
import CommandLineText
import ConfigurationModel
import ConfigurationYAML
import FoundationEssentials
import Glibc
import Health
import HealthChecks
import Lints
import Location
import ModelCompiler
import Resolution
import Steering
import Zones

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a configuration with its zones and database, without serving it.",
        discussion: """
            Loads everything as the daemon does. Prints each problem with file, line and column, or what would be \
            served. Warnings follow, each with its id.
            """
    )

    @Argument(help: ArgumentHelp("The configuration file.", valueName: "config"))
    var path: String

    @Flag(help: "Fail with exit code 2 if there are warnings.")
    var strict = false

    @Option(
        help: ArgumentHelp("Leave out warnings with this id. May be given several times.", valueName: "id"),
        transform: CheckCommand.lint)
    var allow: [Lint] = []

    @Flag(help: "Do not read the database, nor compile tables: for machines that have no database.")
    var noDatabase = false

    @OptionGroup var output: OutputOptions

    private static func lint(_ text: String) throws -> Lint {
        guard let lint = Lint(rawValue: text) else {
            let ids = Lint.ids.joined(separator: ", ")
            throw ValidationError("\"\(text)\" is not the id of a warning, expected one of \(ids)")
        }
        return lint
    }

    /// There are warnings, and they are to fail.
    private static let warned = ExitCode(2)

    func run() throws(ExitCode) {
        let activity = noDatabase ? "reading zones …" : "reading zones and database …"
        let report = Terminal.during(activity) { ConfigurationCheck(path, readsDatabase: !noDatabase).report(allow) }
        if report.ok || output.json {
            output.write(report, text: report.text)
        } else {
            Terminal.writeError(report.text(Terminal.palette(of: STDERR_FILENO)))
        }
        guard report.ok else { throw ExitCode.failure }
        if strict, !report.warnings.isEmpty { throw Self.warned }
    }
}

/// What `nearcast check` reads and finds.
private struct ConfigurationCheck {
    private let path: String
    private var problems: [String] = []
    private var warnings: [LintWarning] = []
    private var model: CheckReport.ModelSize?
    private var basics: CheckReport.Basics?

    init(_ path: String, readsDatabase: Bool) {
        self.path = path
        let configuration: ServerConfiguration
        do throws(ConfigurationError) { configuration = try ServerConfiguration.load(path: path) } catch {
            problems = error.problems.map { "\($0)" }
            return
        }
        do throws(LoadProblem) {
            if readsDatabase { try compile(configuration) } else { try readZones(of: configuration) }
        } catch {
            problems += error.problems
            warnings += error.warnings
        }
        checkFiles(configuration)
        warnings += configuration.allowed(Self.missingInterfaces(configuration))
    }

    /// - Parameter allowed: kinds of warnings to leave out.
    func report(_ allowed: [Lint]) -> CheckReport {
        CheckReport(
            configuration: path, problems: problems,
            warnings: warnings.filter { !allowed.contains($0.lint) }.map(CheckReport.Warning.init),
            model: problems.isEmpty ? model : nil, basics: problems.isEmpty ? basics : nil)
    }

    private mutating func compile(_ configuration: ServerConfiguration) throws(LoadProblem) {
        var slots = SlotTable()
        let loaded = try ModelCompiler.compile(configuration, epoch: 1, slots: &slots)
        warnings += loaded.warnings(at: UInt64(max(0, time(nil)))) + loaded.coordinateWarnings
        model = Self.size(of: loaded)
    }

    private mutating func readZones(of configuration: ServerConfiguration) throws(LoadProblem) {
        let (zones, found) = try ModelCompiler.zones(of: configuration)
        warnings += found
        basics = CheckReport.Basics(
            nodes: configuration.nodes.count, pools: configuration.pools.count, zones: zones.count,
            names: zones.reduce(0) { $0 + $1.zone.nameCount }, tailoredNames: configuration.tailored.count)
    }

    /// Certificates, tokens and authorities.
    private mutating func checkFiles(_ configuration: ServerConfiguration) {
        let listeners = ListenerFiles.check(configuration)
        problems += listeners.problems
        problems += AuthorityFiles.problems(of: configuration.nodes.flatMap(\.health.checks)).map { "\(path): \($0)" }
        warnings += configuration.allowed(listeners.warnings.map { LintWarning(.certificate, at: nil, $0) })
    }

    /// Interfaces that this host does not have. With `auto` they may appear later.
    private static func missingInterfaces(_ configuration: ServerConfiguration) -> [LintWarning] {
        guard configuration.fastPath.mode != .off else { return [] }
        return configuration.fastPath.interfaces.filter { if_nametoindex($0.name) == 0 }.map {
            LintWarning(
                .interface, at: "\($0.mark)", "there is no interface \($0.name) on this host",
                remedy: "correct fast_path.interfaces (see `ip link`)")
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

extension CheckReport.Warning {
    fileprivate init(_ warning: LintWarning) {
        self.init(
            id: warning.lint.rawValue, place: warning.place, text: warning.text, remedy: warning.remedy)
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
