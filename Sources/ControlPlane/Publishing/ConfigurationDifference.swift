import ConfigurationModel
import Lints
import ModelCompiler

/// What distinguishes a configuration from the one in use, besides what ``ModelDifference`` compares.
package struct ConfigurationDifference: Sendable {
    package let pools: NameChanges
    package let policies: NameChanges
    /// Other keys whose values differ.
    package private(set) var settings: [String]

    /// Whether anything differs.
    package var isAny: Bool { !settings.isEmpty || pools.count > 0 || policies.count > 0 }

    /// Compares all values one by one, which takes long for large configurations.
    init(from earlier: ServerConfiguration, to next: ServerConfiguration) {
        pools = NameChanges(from: earlier.pools, to: next.pools, id: \.id, isSame: Self.isSame, name: { $0 })
        policies = NameChanges(from: earlier.policies, to: next.policies, id: \.id, isSame: Self.isSame, name: { $0 })
        let values: [(key: String, value: (ServerConfiguration) -> Any)] = [
            ("tcp", { $0.tcp }), ("fast_path", { $0.fastPath }), ("geo", { $0.geo }), ("identity", { $0.identity }),
            ("cookies", { $0.cookies }), ("rate_limit", { $0.rateLimit }),
            ("health", { [$0.brake, $0.reports as Any, $0.observers, $0.hooks, $0.nodes.map(\.health)] as [Any] }),
            ("lookup", { $0.lookup }), ("aliases", { $0.aliases }),
            ("rtt", { $0.roundTrips as Any }), ("regions", { $0.regions }), ("views", { $0.views }),
            ("watch", { $0.watch }), ("lint", { $0.lintsOff.map(\.rawValue).sorted() }),
        ]
        settings = values.filter { !Self.isSame($0.value(earlier), $0.value(next)) }.map(\.key)
    }

    /// No difference.
    private init(of configuration: ServerConfiguration) {
        (pools, policies) = (
            NameChanges(total: configuration.pools.count), NameChanges(total: configuration.policies.count)
        )
        settings = []
    }

    /// What distinguishes a revision from the model in use.
    init(from earlier: LoadedModel, to revision: Revision) {
        self =
            revision.isConfigurationRead
            ? Self(from: earlier.configuration, to: revision.configuration) : Self(of: revision.configuration)
    }

    /// The same, and that cookies are made of other secrets, which may be in a file.
    func withOtherCookies() -> ConfigurationDifference {
        guard !settings.contains("cookies") else { return self }
        var difference = self
        difference.settings.append("cookies")
        return difference
    }

    /// Whether two values are the same. Their places in their files do not count.
    private static func isSame(_ left: Any, _ right: Any) -> Bool {
        let (mirror, other) = (Mirror(reflecting: left), Mirror(reflecting: right))
        guard mirror.subjectType == other.subjectType, mirror.children.count == other.children.count else {
            return false
        }
        // The members of a set have no order.
        let isUnordered = mirror.displayStyle == .set || mirror.displayStyle == .dictionary
        guard !isUnordered else { return content(left) == content(right) }
        guard !mirror.children.isEmpty else { return "\(left)" == "\(right)" }
        return zip(mirror.children, other.children).allSatisfy { child, other in
            child.label == other.label && (child.label == "mark" || isSame(child.value, other.value))
        }
    }

    /// A text that is equal for equal values.
    static func content(_ value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        guard !mirror.children.isEmpty else {
            // With its length, so that no value can pass for a structure.
            let text = "\(value)"
            return "\(text.utf8.count):\(text)"
        }
        let children = mirror.children.filter { $0.label != "mark" }.map { "\($0.label ?? ""):\(content($0.value))" }
        let isUnordered = mirror.displayStyle == .set || mirror.displayStyle == .dictionary
        return "\(mirror.subjectType)(\((isUnordered ? children.sorted() : children).joined(separator: ",")))"
    }
}
