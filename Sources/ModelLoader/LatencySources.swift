import ServerConfiguration
import Steering

/// The files of measured times that policies name, as they were read last.
struct LatencySources: Sendable {
    /// By policy.
    private var files: [String: GeoSource<LatencyFile>] = [:]
    /// By policy.
    private(set) var tables: [String: LatencyTable] = [:]
    /// Ids of the nodes that the tables number.
    private let nodes: [String]

    /// Reads what has changed since `earlier`. A file that is wrong now leaves what was read from it before in use.
    ///
    /// - Parameters:
    ///   - geo: whose places the files of policies in use must name.
    ///   - effort: told when it turns out that this takes long.
    /// - Throws: `LoadProblem` with everything that is wrong in files of which nothing was read before.
    init(
        _ configuration: ServerConfiguration, _ geo: LoadedGeo, earlier: LatencySources?, _ effort: LoadingEffort
    ) throws(LoadProblem) {
        nodes = configuration.nodes.map(\.id)
        let numbers = Dictionary(uniqueKeysWithValues: nodes.enumerated().map { ($0.element, $0.offset) })
        let known = Set(nodes)
        let used = Set(configuration.tailored.flatMap { [$0.policy] + $0.views.map(\.policy) })
        var problems: [String] = []
        for policy in configuration.policies {
            guard let setting = policy.latency else { continue }
            let isUsed = used.contains(policy.id)
            var requirement = ModelDigest()
            requirement.add(isUsed ? geo.digest : 0)
            for node in nodes { requirement.add(node) }
            do throws(LoadProblem) {
                files[policy.id] = try GeoSource(
                    setting, of: configuration, earlier: earlier?.files[policy.id], requirement: requirement.value,
                    refuse: { $0.problems(nodes: known) + (isUsed ? PlaceCheck(geo.places).problems(of: $0) : []) },
                    read: { path throws(LoadProblem) in try LatencyFile(path: path, nodes: known, effort) })
            } catch { problems += error.problems }
        }
        guard problems.isEmpty else { throw LoadProblem(problems) }
        for (policy, file) in files {
            if let earlier, earlier.nodes == nodes, earlier.files[policy]?.reading === file.reading {
                tables[policy] = earlier.tables[policy]
            } else {
                tables[policy] = file.content.table(nodes: numbers)
            }
        }
    }

    /// Why what files hold now is not used.
    var problems: [String] {
        files.sorted { $0.key < $1.key }.flatMap { $0.value.failure?.problems ?? [] }
    }

    var isUpToDate: Bool { files.values.allSatisfy(\.isUpToDate) }
}
