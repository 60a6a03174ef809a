import BPFRuntime
import CFastPathABI
import ConfigurationModel
import ConfigurationYAML
import ControlPlane
import DNSServer
import DNSWire
import DaemonServices
import Glibc
import Journal
import Lints
import Logging
import ModelCompiler
import Resolution
import StateStore
import Steering

/// What a start knows before it reads what takes long.
struct StartSettings {
    let path: String
    let stamp: ConfigurationStamp
    let configuration: ServerConfiguration
    let limits: ServingLimits

    init(path: String, logger: Logger) throws {
        self.path = path
        let reading = ServerConfiguration.read(path: path)
        stamp = reading.stamp
        do throws(ConfigurationError) { configuration = try reading.result.get() } catch {
            throw StartupFailure(error.problems.map { "\($0)" })
        }
        limits = try ServingLimits(configuration)
        for warning in limits.warnings {
            logger.warning("resource limits too low", metadata: ["problem": "\(warning)"])
        }
        try configuration.checkHost()
    }
}

/// Everything that a start reads before it changes anything.
struct Loading {
    private(set) var loaded: LoadedModel
    private(set) var records: [DomainName: ZoneChanges]
    private(set) var slots: SlotTable
    let path: String
    let stamp: ConfigurationStamp
    let limits: ServingLimits
    let certificate: TLSCertificate?
    let settings: ProtocolSettings
    /// Keys the name table of the fast path.
    let secret = UInt64.random(in: 1...UInt64.max)

    init(_ start: StartSettings, logger: Logger) throws {
        (path, stamp, limits) = (start.path, start.stamp, start.limits)
        let configuration = start.configuration
        logger.info("loading", metadata: ["configuration": "\(path)"])
        let folder = configuration.state.path
        let kept = try Journal.peek(folder: folder)
        records = [DomainName: ZoneChanges](try Journal.peekRRsets(folder: folder))
        slots = SlotTable(restoring: kept.mapValues(\.slot), limit: Int(NC_MAX_NODES))
        certificate = try Transports.loadCertificate(configuration, logger: logger)
        loaded = try Self.load(configuration, &slots, records, earlier: nil)
        EarlySignals.endLoading()
        for warning in loaded.warnings(at: UInt64(max(0, time(nil)))) {
            logger.warning(
                "configuration warning", metadata: ["problem": "\(warning)", "lint": "\(warning.lint.rawValue)"])
        }
        settings = try ProtocolSettings(configuration, logger: logger)
    }

    /// Loads again if the record changes on disk differ from those read before.
    mutating func loadLatestRecords() throws {
        let folder = loaded.configuration.state.path
        let latest = [DomainName: ZoneChanges](try Journal.peekRRsets(folder: folder))
        guard !latest.difference(from: records).isEmpty else { return }
        records = latest
        loaded = try Self.load(loaded.configuration, &slots, latest, earlier: loaded)
    }

    /// The first state that is served.
    ///
    /// - Parameter records: the persisted record changes.
    func served(_ records: [DomainName: ZoneChanges], _ settings: ProtocolSettings) -> Served {
        Served(loaded: loaded, changes: records, settings: settings, slots: slots, stamp: stamp)
    }

    private static func load(
        _ configuration: ServerConfiguration, _ slots: inout SlotTable, _ changes: [DomainName: ZoneChanges],
        earlier: LoadedModel?
    ) throws -> LoadedModel {
        do throws(LoadProblem) {
            return try ModelCompiler.compile(configuration, epoch: 1, slots: &slots, earlier: earlier, changes: changes)
        } catch { throw StartupFailure(error.problems) }
    }
}

extension ServerConfiguration {
    /// Problems of a configuration that only this host can detect.
    fileprivate func checkHost() throws(StartupFailure) {
        try checkState()
        // With `auto`, interfaces may appear later.
        guard fastPath.mode != .off, fastPath.mode != .auto else { return }
        let missing = fastPath.interfaces.filter { NetworkInterface($0.name) == nil }
        guard missing.isEmpty else {
            throw StartupFailure(
                missing.map {
                    let message =
                        "there is no interface \($0.name) on this host: correct fast_path.interfaces (see `ip link`)"
                    return "\(problem(at: $0.mark, message))"
                })
        }
    }

    /// Node states and record changes that cannot be kept would be lost with the process.
    private func checkState() throws(StartupFailure) {
        do throws(JournalProblem) { try Journal.requirePlace(folder: state.path) } catch {
            throw StartupFailure(["\(problem(at: state.mark, "\(error)"))"], status: .files)
        }
    }
}
