package import ControlPlane
import Foundation
import IPNetworks
import LinuxSupport
package import ManagementTypes
import Telemetry

extension AliasReport {
    /// Addresses in a report.
    private static let addressLimit = 32

    package init(_ alias: AliasState) {
        let problems = [alias.servingProblem, alias.lookupProblem].compactMap(\.self)
        self.init(
            name: "\(alias.name)", target: "\(alias.target)",
            addresses: alias.addresses.prefix(Self.addressLimit).map(\.description),
            addressCount: alias.addresses.count,
            confirmedAt: alias.confirmed, problem: problems.isEmpty ? nil : problems.joined(separator: "; "))
    }
}

extension [AliasState] {
    var metrics: [MetricSample] {
        flatMap { alias in
            let labels = ["name": "\(alias.name)"]
            return [
                MetricSample(
                    "nearcast_alias_confirmed_timestamp_seconds", .gauge,
                    help: "When the target of an alias was last looked up with success; 0: never since the start.",
                    labels: labels, value: alias.confirmed?.timeIntervalSince1970 ?? 0),
                MetricSample(
                    "nearcast_alias_resolved", .gauge,
                    help: "Whether the last lookup of the target of an alias succeeded: 1 or 0.", labels: labels,
                    value: alias.lookupProblem == nil ? 1 : 0),
                MetricSample(
                    "nearcast_alias_served", .gauge,
                    help: "Whether the name of an alias has the addresses that were looked up: 1 or 0.",
                    labels: labels, value: alias.isServed ? 1 : 0),
            ]
        }
    }
}

extension AliasState {
    /// When the target was last looked up with success, by the clock of people.
    fileprivate var confirmed: Date? {
        confirmedAt.map { Date(timeIntervalSinceNow: -Double(MonotonicClock.nanoseconds - $0) * 1e-9) }
    }
}
