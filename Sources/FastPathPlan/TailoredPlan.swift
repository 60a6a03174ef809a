import CFastPathABI
import DNSWire
public import IPNetworks
public import Resolution
import Zones

/// Which tailored names the fast path answers, and to whom.
public struct TailoredPlan: Sendable {
    /// Why a name is left to user space altogether.
    public enum Left: Sendable {
        /// The program knows no access lists: it leaves such a zone alone.
        case accessList
        /// Views answer the name apart, and have more networks than fit.
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

    /// Nil for a name that is in the program's table.
    public func left(_ name: TailoredName) -> Left? {
        if !zones.isOpen(name.name) { return .accessList }
        return !name.views.isEmpty && !networks.fit ? .views : nil
    }

    /// The same for other records.
    public func isLeft(_ records: TailoredRecords, to sender: IPAddress) -> Bool {
        !records.views.isEmpty && networks.contain(sender)
    }

    /// Whether the program leaves queries of `sender` for the name to user space, because views answer it apart.
    public func isLeft(_ name: TailoredName, to sender: IPAddress) -> Bool {
        !name.views.isEmpty && networks.contain(sender)
    }
}
