import CFastPathABI
public import ConfigurationModel
import ConfigurationYAML
public import DNSWire
import IPNetworks
public import Lints
import Location
public import Resolution
public import Steering
import Zones

/// A model ready to serve, and the sources of its parts.
public struct LoadedModel: Sendable {
    public let configuration: ServerConfiguration
    public internal(set) var model: ServingModel
    public let geo: LoadedGeo
    /// In configuration order.
    public internal(set) var zones: [LoadedZone]
    /// Warnings: valid, but probably a mistake.
    public let warnings: [LintWarning]
    /// Changed files that could not be used. Their last good versions are served.
    public let problems: [String]
    /// Hash of the place → class maps.
    let steeringDigest: UInt64
    /// Hash of everything that decides answers, except the contents of zones.
    public let surroundingsDigest: UInt64
    let latencies: LatencySources

    /// Hash of what the files hold that decides answers: of everything but record changes.
    public var filesDigest: UInt64 {
        var digest = ModelDigest()
        digest.add(surroundingsDigest)
        for zone in zones { digest.add(zone.digest) }
        return digest.value
    }

    /// The same with `model`, which is equal and already served.
    public func serving(_ model: ServingModel) -> LoadedModel {
        var same = self
        same.model = model
        return same
    }

    /// Whether no file that this was made of, or that failed, has changed since it was read.
    public var isUpToDate: Bool {
        zones.allSatisfy(\.isUpToDate) && geo.isUpToDate && latencies.isUpToDate
    }
}

/// Reads everything that a configuration names, and compiles it into one model.
public enum ModelCompiler {
    /// Reads the configuration at `path`, its zones and its database, and compiles them.
    ///
    /// - Parameters:
    ///   - epoch: number of the new model.
    ///   - slots: slots of known nodes. New nodes are added.
    /// - Throws: `LoadProblem` with every problem.
    public static func compile(
        configuration path: String, epoch: UInt64, slots: inout SlotTable
    ) throws(LoadProblem) -> LoadedModel {
        let configuration: ServerConfiguration
        do throws(ConfigurationError) { configuration = try ServerConfiguration.load(path: path) } catch {
            throw LoadProblem(error.problems.map { "\($0)" })
        }
        return try compile(configuration, epoch: epoch, slots: &slots)
    }

    /// Compiles the model of a configuration.
    ///
    /// - Parameters:
    ///   - earlier: the model in use. Unchanged parts are taken from it, and the last good versions of unreadable ones.
    ///   - changes: record changes, by the origin of their zone.
    ///   - slots: slots of known nodes. New nodes are added, in slots that no node of `earlier` has.
    ///   - effort: informed when this turns out to take long.
    /// - Throws: `LoadProblem` with every problem. The model in use is not affected, and `slots` is unchanged.
    public static func compile(
        _ configuration: ServerConfiguration, epoch: UInt64, slots: inout SlotTable, earlier: LoadedModel? = nil,
        changes: [DomainName: ZoneChanges] = [:], effort: LoadingEffort = LoadingEffort()
    ) throws(LoadProblem) -> LoadedModel {
        var zones = ZoneLoading(configuration, earlier: earlier?.zones ?? [], changes: changes, effort)
        zones.run()
        guard zones.problems.isEmpty else {
            throw LoadProblem(zones.problems, warnings: configuration.allowed(zones.warnings))
        }
        do throws(LoadProblem) {
            return try compile(
                configuration, zones: zones.zones, epoch: epoch, slots: &slots, earlier: earlier, effort)
        } catch {
            throw LoadProblem(error.problems, warnings: configuration.allowed(zones.warnings + error.warnings))
        }
    }

    /// Reads the zones of a configuration, and no database.
    ///
    /// - Returns: the zones, and every warning that needs no database.
    /// - Throws: `LoadProblem` with every problem of the zones.
    public static func zones(
        of configuration: ServerConfiguration
    ) throws(LoadProblem) -> (zones: [LoadedZone], warnings: [LintWarning]) {
        var zones = ZoneLoading(configuration, earlier: [], changes: [:], LoadingEffort())
        zones.run()
        let warnings = configuration.allowed(zones.warnings + ConfigurationLints(configuration).warnings)
        guard zones.problems.isEmpty else { throw LoadProblem(zones.problems, warnings: warnings) }
        return (zones.zones, warnings)
    }

    private static func compile(
        _ configuration: ServerConfiguration, zones: [LoadedZone], epoch: UInt64, slots: inout SlotTable,
        earlier: LoadedModel?, _ effort: LoadingEffort
    ) throws(LoadProblem) -> LoadedModel {
        let needs = configuration.steeringLabelNeeds
        let geo = try LoadedGeo.load(
            for: configuration, labels: LabelNeeds(asns: needs.asns, prefixes: Set(needs.prefixes)),
            earlier: earlier?.geo,
            effort: effort)
        var newSlots = slots
        do throws(SteeringError) {
            try newSlots.assign(
                configuration.nodes.map(\.id), limit: Int(NC_MAX_NODES),
                keeping: Set(earlier?.model.steering.nodes.map(\.id) ?? []))
        } catch { throw LoadProblem(["\(configuration.file): \(error)"]) }
        var problems: [String] = []
        var latencies: LatencySources?
        do throws(LoadProblem) {
            latencies = try LatencySources(configuration, geo, earlier: earlier?.latencies, effort)
        } catch { problems += error.problems }
        let plan = SteeringPlan(configuration, slots: newSlots, latencies: latencies?.tables ?? [:])
        problems += excess(of: plan) + PlaceCheck(geo.places).problems(configuration)
        guard problems.isEmpty, let latencies else { throw LoadProblem(problems, warnings: plan.warnings) }
        let steering = try steering(plan, configuration, geo, earlier, effort)
        let isSameSteering = earlier?.model.steering.classes === steering.classes
        let steeringDigest =
            isSameSteering ? earlier?.steeringDigest ?? 0 : ModelDigest(of: steering.classes.bytes).value
        var surroundings = ModelDigest()
        add(configuration.zones, to: &surroundings)
        plan.add(to: &surroundings)
        surroundings.add(geo.digest)
        surroundings.add(steeringDigest)
        slots = newSlots
        let model = ServingModel(
            epoch: epoch, digest: LoadedModel.digest(zones, surroundings.value),
            zones: try zoneSet(zones, configuration, earlier),
            tailored: plan.tailored, tailoredRecords: plan.records, views: Views(plan.views), steering: steering,
            location: geo.table, places: geo.places)
        return LoadedModel(
            configuration: configuration, model: model, geo: geo, zones: zones,
            warnings: configuration.allowed(
                zones.flatMap(\.warnings) + geo.warnings + plan.warnings + hostWarnings(configuration, model.zones)
                    + ConfigurationLints(configuration).warnings),
            problems: zones.flatMap { $0.failure?.problems ?? [] } + geo.problems + latencies.problems,
            steeringDigest: steeringDigest, surroundingsDigest: surroundings.value, latencies: latencies)
    }

    /// The names whose tables do not fit.
    private static func excess(of plan: SteeringPlan) -> [String] {
        let shown = plan.excess.prefix(20).map { name, table in
            let message =
                "tailored name \"\(name.name)\" needs steering table number \(table) (one for each distinct pool, policy, view and "
                + "address family), but only \(NC_MAX_STEERING_TABLES) fit: let names share pools and policies"
            return "\(plan.configuration.problem(at: name.mark, message))"
        }
        guard plan.excess.count > shown.count else { return shown }
        return shown + [
            "\(plan.configuration.file): \(plan.excess.count - shown.count) more tailored names need tables beyond these"
        ]
    }

    /// The tables of the model in use, if none of their inputs has changed.
    private static func steering(
        _ plan: SteeringPlan, _ configuration: ServerConfiguration, _ geo: LoadedGeo, _ earlier: LoadedModel?,
        _ effort: LoadingEffort
    ) throws(LoadProblem) -> SteeringTables {
        if let earlier, earlier.geo.table === geo.table, earlier.model.steering.nodes == plan.nodes,
            earlier.model.steering.tables.map(\.key) == plan.keys
        {
            return earlier.model.steering
        }
        effort.isLongNow()
        do throws(SteeringError) {
            return try SteeringTables(
                keys: plan.keys, nodes: plan.nodes, places: geo.places, reusing: earlier?.model.steering)
        } catch { throw LoadProblem(["\(configuration.file): \(error)"]) }
    }

    private static func zoneSet(
        _ zones: [LoadedZone], _ configuration: ServerConfiguration, _ earlier: LoadedModel?
    ) throws(LoadProblem) -> ZoneSet {
        if let earlier, earlier.zones.elementsEqual(zones, by: { $0.zone === $1.zone }),
            earlier.configuration.zones.elementsEqual(
                configuration.zones, by: { $0.allow == $1.allow && $0.deny == $1.deny })
        {
            return earlier.model.zones
        }
        var lists: [DomainName: AccessList] = [:]
        for zone in configuration.zones where zone.isRestricted {
            lists[zone.origin] = AccessList(allow: zone.allow, deny: zone.deny)
        }
        do throws(ZoneError) { return try ZoneSet(zones.map(\.zone), access: lists) } catch {
            throw LoadProblem(["zone \(error)"])
        }
    }

    /// Host names of nodes that have no address.
    private static func hostWarnings(_ configuration: ServerConfiguration, _ zones: ZoneSet) -> [LintWarning] {
        let aliases = Set(configuration.aliases.map(\.name))
        return configuration.nodes.compactMap { node in
            guard let hostname = node.hostname, !aliases.contains(hostname.name),
                !zones.mayHaveAddress(hostname.name)
            else { return nil }
            return LintWarning(
                .hostname, at: "\(hostname.mark)",
                "hostname of node \"\(node.id)\" is \"\(hostname.name)\", which has no address in its zone",
                remedy: "add A or AAAA records there")
        }
    }

    /// Adds the access lists.
    private static func add(_ zones: [ZoneSettings], to digest: inout ModelDigest) {
        for zone in zones where zone.isRestricted {
            digest.add(zone.origin.lowercasedWire)
            digest.add(zone.allow.map { "+\($0)" }.joined())
            digest.add(zone.deny.map { "-\($0)" }.joined())
        }
    }
}

extension ZoneSettings {
    fileprivate var isRestricted: Bool { !(allow.isEmpty && deny.isEmpty) }
}
