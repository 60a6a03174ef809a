import CFastPathABI
import DNSWire
import IPNetworks
import Location
public import ServerConfiguration
public import Serving
public import Steering

/// A model ready to serve, and what was noticed while loading it.
public struct LoadedModel: Sendable {
    public let configuration: ServerConfiguration
    public let model: ServingModel
    public let geo: LoadedGeo
    /// What is served, but hardly meant.
    public let warnings: [String]
}

/// Loads everything a configuration names and compiles it into one model.
public enum ModelLoader {
    /// Loads the configuration at `path`, its zones and its database.
    ///
    /// - Parameters:
    ///   - epoch: number of the model to make.
    ///   - slots: slots of nodes known so far; new nodes get theirs.
    ///   - geo: a database loaded before, to be used again.
    /// - Throws: `LoadProblem` with everything that is wrong. Nothing in use is touched.
    public static func load(
        configuration path: String, epoch: UInt64, slots: inout SlotTable, geo: LoadedGeo? = nil
    ) throws(LoadProblem) -> LoadedModel {
        let configuration: ServerConfiguration
        do throws(ConfigurationError) { configuration = try ServerConfiguration.load(path: path) } catch {
            throw LoadProblem(error.problems.map { "\($0)" })
        }
        return try load(configuration, epoch: epoch, slots: &slots, geo: geo)
    }

    public static func load(
        _ configuration: ServerConfiguration, epoch: UInt64, slots: inout SlotTable, geo: LoadedGeo? = nil
    ) throws(LoadProblem) -> LoadedModel {
        var digest = ModelDigest()
        var zones = ZoneLoading(configuration)
        zones.run(digest: &digest)
        guard zones.problems.isEmpty else { throw LoadProblem(zones.problems) }
        let zoneSet: ZoneSet
        let access = accessLists(configuration, digest: &digest)
        do throws(ZoneError) { zoneSet = try ZoneSet(zones.zones, access: access) } catch {
            throw LoadProblem(["zone \(error)"])
        }

        let loadedGeo: LoadedGeo
        if let geo { loadedGeo = geo } else { loadedGeo = try Self.geo(configuration) }
        slots.assign(configuration.nodes.map(\.id), limit: Int(NC_MAX_NODES))
        let plan = SteeringPlan(configuration, slots: slots)
        let steering: SteeringTables
        do throws(SteeringError) {
            steering = try SteeringTables(keys: plan.keys, nodes: plan.nodes, places: loadedGeo.places)
        } catch { throw LoadProblem(["\(configuration.file): \(error)"]) }

        plan.add(to: &digest)
        digest.add(loadedGeo.table.bytes)
        for place in 0..<loadedGeo.places.count {
            let coordinates = loadedGeo.places.coordinates(place)
            digest.add(coordinates?.latitude ?? .max)
            digest.add(coordinates?.longitude ?? .max)
        }
        steering.classes.bytes.withMemoryRebound(to: UInt8.self) { digest.add(UnsafeRawBufferPointer($0)) }
        let model = ServingModel(
            epoch: epoch, digest: digest.value, zones: zoneSet, tailored: plan.tailored, steering: steering,
            location: loadedGeo.table, places: loadedGeo.places)
        return LoadedModel(
            configuration: configuration, model: model, geo: loadedGeo, warnings: zones.warnings + plan.warnings)
    }

    private static func accessLists(
        _ configuration: ServerConfiguration, digest: inout ModelDigest
    ) -> [DomainName: AccessList] {
        var lists: [DomainName: AccessList] = [:]
        for zone in configuration.zones where !(zone.allow.isEmpty && zone.deny.isEmpty) {
            lists[zone.origin] = AccessList(allow: zone.allow, deny: zone.deny)
            digest.add(zone.origin.lowercasedWire)
            digest.add(zone.allow.map { "+\($0)" }.joined())
            digest.add(zone.deny.map { "-\($0)" }.joined())
        }
        return lists
    }

    private static func geo(_ configuration: ServerConfiguration) throws(LoadProblem) -> LoadedGeo {
        guard !configuration.tailored.isEmpty else { return .none }
        do throws(LoadProblem) { return try LoadedGeo.load(path: configuration.geo.database.path) } catch {
            throw LoadProblem(
                error.problems.map { "\(configuration.problem(at: configuration.geo.database.mark, $0))" })
        }
    }
}
