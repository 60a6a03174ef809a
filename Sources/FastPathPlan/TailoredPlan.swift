import CFastPathABI
import DNSWire
public import IPNetworks
public import Resolution
import Zones

/// Which tailored names the fast path answers, and to which clients.
public struct TailoredPlan: Sendable {
    /// Why a name is left to user space for every client.
    public enum Left: Sendable {
        /// The program does not check access lists, so it does not answer for a zone that has one.
        case accessList
        /// The name has answers by view, and the views have more networks than fit.
        case views
    }

    private let zones: ZoneSet
    let networks: ViewNetworks
    let recipes: RecipePlan

    public init(_ model: ServingModel) {
        zones = model.zones
        networks = ViewNetworks(model)
        recipes = RecipePlan(steering: model.steering, knowsViews: networks.fit)
    }

    /// Nil if the name is in the program's table.
    public func left(_ name: TailoredName) -> Left? {
        if !zones.isOpen(name.name) { return .accessList }
        return !name.views.isEmpty && !networks.fit ? .views : nil
    }

    /// The same for other records.
    public func isLeft(_ records: TailoredRecords, to sender: IPAddress) -> Bool {
        !records.views.isEmpty && networks.contain(sender)
    }

    /// Whether the program leaves queries from `sender` to user space, because the name has answers by view.
    public func isLeft(_ name: TailoredName, to sender: IPAddress) -> Bool {
        !name.views.isEmpty && networks.contain(sender)
    }
}
