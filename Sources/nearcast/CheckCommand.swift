import ArgumentParser
import CFastPathABI
import CommandLineText
import DNSServer
import FoundationEssentials
import Glibc
import Location
import Logging
import ModelLoader
import ServerConfiguration
import Serving
import Steering

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a configuration, with its zones and its database, without serving it.",
        discussion:
            "Loads everything as the daemon would. Prints every problem with its place, or what would be served.")

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
        // What is wrong with the file itself, the loader tells.
        let certificate = (try? ServerConfiguration.load(path: path)).map(certificate(of:))
        let problems = certificate?.problem.map { [$0] } ?? []
        let certificateWarnings = certificate?.warning.map { [$0] } ?? []
        do throws(LoadProblem) {
            let loaded = try ModelLoader.load(configuration: path, epoch: 1, slots: &slots)
            let warnings = loaded.warnings + certificateWarnings
            let model = problems.isEmpty ? size(of: loaded) : nil
            return CheckReport(configuration: path, problems: problems, warnings: warnings, model: model)
        } catch {
            return CheckReport(
                configuration: path, problems: error.problems + problems,
                warnings: error.warnings + certificateWarnings)
        }
    }

    /// What is wrong with the files of `tls`, or noticed of them.
    private static func certificate(
        of configuration: ServerConfiguration
    ) -> (problem: String?, warning: String?) {
        guard let settings = configuration.tls else { return (nil, nil) }
        do throws(CertificateError) {
            let certificate = try TLSCertificate(
                certificatePath: settings.certificate.path, keyPath: settings.key.path,
                logger: Logger(label: "nearcast"))
            return (nil, certificate.warning(at: time(nil)))
        } catch {
            let mark = error.subject == .certificate ? settings.certificate.mark : settings.key.mark
            return ("\(configuration.problem(at: mark, "\(error)"))", nil)
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
