import ConfigurationModel
import Lints

/// What distinguishes a configuration from the one in use, besides what ``ModelDifference`` compares.
package struct ConfigurationDifference: Sendable {
    package let pools: NameChanges
    package let policies: NameChanges
    /// Other keys whose values differ.
    package let settings: [String]

    init(from earlier: ServerConfiguration, to next: ServerConfiguration) {
        func isSame(_ left: Any, _ right: Any) -> Bool { Self.content(left) == Self.content(right) }
        pools = NameChanges(from: earlier.pools, to: next.pools, id: \.id, isSame: isSame, name: { $0 })
        policies = NameChanges(from: earlier.policies, to: next.policies, id: \.id, isSame: isSame, name: { $0 })
        let values: [(key: String, value: (ServerConfiguration) -> Any)] = [
            ("tcp", { $0.tcp }), ("fast_path", { $0.fastPath }), ("geo", { $0.geo }), ("identity", { $0.identity }),
            ("cookies", { $0.cookies }), ("rate_limit", { $0.rateLimit }),
            ("health", { [$0.brake, $0.reports as Any, $0.observers, $0.hooks, $0.nodes.map(\.health)] as [Any] }),
            ("lookup", { $0.lookup }), ("aliases", { $0.aliases }),
            ("rtt", { $0.roundTrips as Any }), ("regions", { $0.regions }), ("views", { $0.views }),
            ("watch", { $0.watch }), ("lint", { $0.lintsOff.map(\.rawValue).sorted() }),
        ]
        settings = values.filter { !isSame($0.value(earlier), $0.value(next)) }.map(\.key)
    }

    /// A text that is equal for equal values. The places of values in their files do not count.
    static func content(_ value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        guard !mirror.children.isEmpty else { return "\(value)" }
        let children = mirror.children.filter { $0.label != "mark" }.map { "\($0.label ?? ""):\(content($0.value))" }
        // The members of a set have no order.
        let isUnordered = mirror.displayStyle == .set || mirror.displayStyle == .dictionary
        return "\(mirror.subjectType)(\((isUnordered ? children.sorted() : children).joined(separator: ",")))"
    }
}
