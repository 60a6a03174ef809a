import CFastPathABI
package import ControlFailures
import ControlPlane
import DNSWire
import FastPathDriver
import IPNetworks
import Location
package import ManagementTypes
import ModelCompiler
package import Resolution
import Steering
import Zones

/// The tables that packets are answered from, as `nearcast inspect` shows them: functions of the model that serves.
package struct Inspector {
    let model: ServingModel

    package init(model: ServingModel) { self.model = model }

    package func names(_ request: InspectNamesRequest) throws(ControlFailure) -> NamesReport {
        var names = model.tailored.map(TailoredEntry.addresses) + model.tailoredRecords.map(TailoredEntry.records)
        if let under = request.under {
            guard let top = try? DomainName(under) else {
                throw ControlFailure(.invalid, "\"\(under)\" is not a domain name")
            }
            names = names.filter { $0.name.isSubdomain(of: top) }
        }
        let shown = names.sorted { ($0.name, $0.order) < ($1.name, $1.order) }.prefix(request.limit)
        return NamesReport(total: names.count, names: shown.map { $0.report(in: model.zones) })
    }

    func location(_ prefix: String) throws(ControlFailure) -> LocationReport {
        let address: IPAddress
        if let whole = IPAddress(prefix) {
            address = whole
        } else if let block = IPPrefix(prefix) {
            address = block.address
        } else {
            throw ControlFailure(
                .invalid, "\"\(prefix)\" is neither an address nor a prefix",
                remedy: "give one, such as 192.0.2.1 or 192.0.2.0/24")
        }
        let client = model.locate(
            client: address, subnet: nil,
            rule: nc_rule(ttl_min: 0, ttl_max: 0, answers: 1, all_down: 0, ecs: 0, reserved: 0))
        return LocationReport(
            prefix: prefix, leaf: "\(IPAddress(client.leaf))/\(client.scope)", scope: client.scope,
            location: UInt32(client.place), place: ManagementTypes.ClientPlace(client, in: model), steps: steps(client))
    }

    /// The candidate list of the place in every steering table.
    private func steps(_ client: ClientLocation) -> [String] {
        model.steering.tables.enumerated().map { index, table in
            let list = model.steering.list(table: index, place: client.place)
            let slots = withUnsafeBytes(of: list.pointee.slot) { bytes in
                (0..<Int(list.pointee.count)).map { Int(bytes.load(fromByteOffset: 2 * $0, as: UInt16.self)) }
            }
            let ids = slots.map { model.steering.node(slot: $0)?.id ?? "slot \($0)" }
            let kind = table.key.family.map { $0 == .v4 ? "A" : "AAAA" } ?? "CNAME"
            return "table \(index) (\(kind)): \(ids.joined(separator: " "))"
        }
    }

    /// - Parameter generation: of the program's tables.
    func nodes(_ words: NodeWords, generation: UInt32) -> NodeTableReport {
        NodeTableReport(
            generation: generation,
            nodes: model.steering.nodes.sorted { $0.slot < $1.slot }.flatMap { node in
                let all = IPFamily.answered.map { (family: $0, word: words.word(node.slot, $0)) }
                // One line, unless a family differs.
                let isUniform = Set(all.map { $0.word << 16 }).count == 1
                return (isUniform ? Array(all.prefix(1)) : all).map { family, word in
                    NodeWordReport(
                        slot: UInt32(node.slot), node: node.id, word: "0x" + word.hexadecimal,
                        state: NodeState(word: word), share: Int(nc_word_share(word)), ttl: nc_word_ttl(word),
                        version: nc_word_version(word), family: isUniform ? nil : family?.name ?? "any")
                }
            })
    }
}

/// A name with tailored addresses, or with tailored records of another type.
private enum TailoredEntry {
    case addresses(TailoredName)
    case records(TailoredRecords)

    var name: DomainName {
        switch self {
        case .addresses(let name): name.name
        case .records(let records): records.name
        }
    }

    /// Among the entries of a name.
    var order: UInt16 {
        switch self {
        case .addresses: 0
        case .records(let records): records.type.rawValue
        }
    }

    func report(in zones: ZoneSet) -> NameReport {
        let zone = zones.zone(of: name).map { "\($0.apex)" } ?? ""
        switch self {
        case .addresses(let name):
            return NameReport(
                name: "\(name.name)", zone: zone, kind: "tailored",
                types: (name.v4 == nil ? [] : ["A"]) + (name.v6 == nil ? [] : ["AAAA"]), pool: name.pool,
                policy: name.policy, steeringTable: (name.v4 ?? name.v6).map(UInt32.init),
                hash: name.steeringHash.hexadecimal)
        case .records(let records):
            return NameReport(
                name: "\(records.name)", zone: zone, kind: "tailored", types: ["\(records.type)"],
                pool: records.pool, policy: records.policy,
                steeringTable: records.content.firstTable.map(UInt32.init), hash: records.steeringHash.hexadecimal)
        }
    }
}

extension TailoredRecords.Content {
    /// `nil`: no table, because every client gets the records of all nodes.
    fileprivate var firstTable: Int? {
        switch self {
        case .services: nil
        case .alias(let chain, _), .texts(let chain, _), .exchanges(let chain, _, _): chain.table
        case .binding(_, let v4, let v6, _): v4?.table ?? v6?.table
        }
    }
}
