import ConfigurationModel
import Steering

/// The latency files of policies, in the versions last read successfully.
struct LatencySources: Sendable {
    /// Times by policy.
    private var files: [String: [GeoSource<LatencyFile>]] = [:]
    /// Files by policy.
    private(set) var tables: [String: LatencyTable] = [:]
    /// Ids of the nodes, by their number in the tables.
    private let nodes: [String]

    /// Reads what has changed since `earlier`. If a file is invalid now, its previous content stays in use.
    ///
    /// - Parameters:
    ///   - geo: the location data; files of policies in use must name its places.
    ///   - effort: informed when this turns out to take long.
    /// - Throws: `LoadProblem` with every problem of files that were never read successfully.
    init(
        _ configuration: ServerConfiguration, _ geo: LoadedGeo, earlier: LatencySources?, _ effort: LoadingEffort
    ) throws(LoadProblem) {
        nodes = configuration.nodes.map(\.id)
        let numbers = Dictionary(uniqueKeysWithValues: nodes.enumerated().map { ($0.element, $0.offset) })
        let known = Set(nodes)
        let used = Set(configuration.tailored.flatMap { [$0.policy] + $0.views.map(\.policy) })
        var problems: [String] = []
        for policy in configuration.policies {
            let isUsed = used.contains(policy.id)
            var requirement = ModelDigest()
            requirement.add(isUsed ? geo.digest : 0)
            for node in nodes { requirement.add(node) }
            for setting in policy.latency {
                // Learned times for a node or place that no longer exists are meaningless, and not an operator's
                // mistake.
                let isLearned = setting.path == configuration.roundTrips?.file.path
                do throws(LoadProblem) {
                    files[policy.id, default: []].append(
                        try GeoSource(
                            setting, of: configuration,
                            earlier: earlier?.files[policy.id]?.first { $0.path == setting.path },
                            requirement: requirement.value,
                            refuse: {
                                isLearned
                                    ? []
                                    : $0.problems(nodes: known)
                                        + (isUsed ? PlaceCheck(geo.places).problems(of: $0) : [])
                            },
                            read: { path throws(LoadProblem) in
                                try LatencyFile(path: path, nodes: known, isLearned: isLearned, effort)
                            }))
                } catch { problems += error.problems }
            }
        }
        guard problems.isEmpty else { throw LoadProblem(problems) }
        for (policy, sources) in files {
            if let earlier, earlier.nodes == nodes,
                (earlier.files[policy] ?? []).elementsEqual(sources, by: { $0.reading === $1.reading })
            {
                tables[policy] = earlier.tables[policy]
            } else {
                tables[policy] = LatencyTable(joining: sources.map { $0.content.table(nodes: numbers) })
            }
        }
    }

    /// Why the current content of files is not used.
    var problems: [String] {
        files.sorted { $0.key < $1.key }.flatMap { $0.value.flatMap { $0.failure?.problems ?? [] } }
    }

    var isUpToDate: Bool { files.values.allSatisfy { $0.allSatisfy(\.isUpToDate) } }
}

extension LatencyTable {
    /// Merges several tables: for a place and a node, the first table that has a time wins.
    fileprivate init(joining tables: [LatencyTable]) {
        var rows = tables.first?.rows ?? [:]
        for table in tables.dropFirst() {
            rows.merge(table.rows) { known, further in known.merging(further) { time, _ in time } }
        }
        self.init(rows)
    }
}
