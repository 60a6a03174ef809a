import CFastPathABI
import DNSWire
import IPNetworks
import Location
import ServerConfiguration
import Serving
import Steering

/// Turns nodes, pools, policies and tailored names of a configuration into what steering compiles.
struct SteeringPlan {
    let nodes: [SteeringNode]
    private(set) var keys: [SteeringKey] = []
    private(set) var tailored: [TailoredName] = []
    private(set) var records: [TailoredRecords] = []
    private(set) var warnings: [String] = []
    private var keyNumbers: [SteeringKey: Int] = [:]

    init(_ configuration: ServerConfiguration, slots: SlotTable) {
        nodes = configuration.nodes.map { node in
            SteeringNode(
                id: node.id, slot: slots.slots[node.id] ?? 0, addresses: node.addresses,
                coordinates: Coordinates(
                    latitude: node.location.latitudeMicrodegrees, longitude: node.location.longitudeMicrodegrees),
                country: node.location.country, region: node.location.region, continent: node.location.continent)
        }
        let numbers = Dictionary(uniqueKeysWithValues: nodes.enumerated().map { ($0.element.id, $0.offset) })
        let pools = Dictionary(uniqueKeysWithValues: configuration.pools.map { ($0.id, $0) })
        let policies = Dictionary(uniqueKeysWithValues: configuration.policies.map { ($0.id, $0) })
        for name in configuration.tailored {
            guard let pool = pools[name.pool], let policy = policies[name.policy] else { continue }
            let members = pool.members.compactMap { member in
                numbers[member.node].map { Steering.PoolMember(node: $0, weight: member.weight) }
            }
            add(name, members, policy, configuration.nodes)
        }
    }

    /// The table of a pool and a policy; `nil` when no member has an address of the family.
    private mutating func table(
        _ members: [Steering.PoolMember], _ policy: PolicySettings, _ family: IPFamily?
    ) -> Int? {
        if let family, !members.contains(where: { nodes[$0.node].address(family) != nil }) { return nil }
        let tolerance = Tolerance(percent: policy.tolerancePercent, kilometres: policy.toleranceKilometres)
        let key = SteeringKey(members: members, tolerance: tolerance, family: family)
        if let known = keyNumbers[key] { return known }
        keys.append(key)
        keyNumbers[key] = keys.count - 1
        return keys.count - 1
    }

    private mutating func add(
        _ name: TailoredSettings, _ members: [Steering.PoolMember], _ policy: PolicySettings, _ settings: [NodeSettings]
    ) {
        var rule = nc_rule(policy)
        let content: TailoredRecords.Content
        switch name.records {
        case .addresses: return addAddresses(name, members, policy)
        case .services(let port, let priority):
            content = .services(services(members, settings, port: port, priority: priority))
        case .alias:
            // A name has one CNAME.
            rule.answers = 1
            let hosts = members.compactMap { member in
                settings[member.node].hostname.map { (nodes[member.node].slot, $0.name.wire) }
            }
            content = .alias(
                table: table(members, policy, nil) ?? 0, hosts: Dictionary(uniqueKeysWithValues: hosts))
        case .binding(let binding):
            content = .binding(
                type: binding.type, v4: table(members, policy, .v4), v6: table(members, policy, .v6),
                prefix: TailoredRecords.bindingPrefix(port: binding.port, protocols: binding.protocols))
        }
        records.append(
            TailoredRecords(name: name.name, rule: rule, content: content, pool: name.pool, policy: name.policy))
    }

    /// In the order of node ids, so that nobody sees the set change when the file is sorted otherwise.
    private func services(
        _ members: [Steering.PoolMember], _ settings: [NodeSettings], port: UInt16, priority: UInt16
    ) -> [TailoredRecords.Service] {
        let byID = members.sorted { nodes[$0.node].id.utf8.lexicographicallyPrecedes(nodes[$1.node].id.utf8) }
        return byID.compactMap { member in
            settings[member.node].hostname.map {
                // HAProxy divides by 256: with less a node would be drained.
                TailoredRecords.Service(
                    slot: nodes[member.node].slot, priority: priority,
                    weight: UInt16(min(Int(member.weight) * 256, 65_535)), port: port, host: $0.name)
            }
        }
    }

    private mutating func addAddresses(
        _ name: TailoredSettings, _ members: [Steering.PoolMember], _ policy: PolicySettings
    ) {
        let entry = TailoredName(
            name: name.name, rule: nc_rule(policy), v4: table(members, policy, .v4), v6: table(members, policy, .v6),
            pool: name.pool, policy: name.policy)
        if entry.name.lowercasedWire.count > Int(NC_NAME_BYTES) {
            warnings.append(
                "tailored name \(name.name) is longer than \(NC_NAME_BYTES) bytes: user space answers it")
        }
        tailored.append(entry)
    }

    func add(to digest: inout ModelDigest) {
        for node in nodes {
            digest.add(node.id)
            digest.add(node.v4.map { [UInt8(4)] + IPAddress.v4($0).bytes } ?? [])
            digest.add(node.v6.map { [UInt8(6)] + IPAddress.v6($0).bytes } ?? [])
            digest.add(node.coordinates.latitude)
            digest.add(node.coordinates.longitude)
            for text in [node.country, node.region, node.continent] { digest.add(text) }
        }
        for key in keys {
            digest.add(key.family?.rawValue ?? 0)
            digest.add(key.tolerance.percent)
            digest.add(key.tolerance.kilometres)
            digest.add(key.members.count)
            for member in key.members {
                digest.add(member.node)
                digest.add(member.weight)
            }
        }
        for name in tailored {
            digest.add(name.name.lowercasedWire)
            digest.add(name.v4 ?? -1)
            digest.add(name.v6 ?? -1)
            withUnsafeBytes(of: name.rule) { digest.add($0) }
        }
        let ids = Dictionary(uniqueKeysWithValues: nodes.map { ($0.slot, $0.id) })
        for entry in records {
            digest.add(entry.name.lowercasedWire)
            withUnsafeBytes(of: entry.rule) { digest.add($0) }
            entry.content.add(to: &digest, ids: ids)
        }
    }
}

extension nc_rule {
    fileprivate init(_ policy: PolicySettings) {
        self.init(
            ttl_min: policy.ttlMin, ttl_max: policy.ttlMax, answers: UInt8(policy.answers),
            all_down: UInt8(policy.whenAllDown == .open ? NC_ALL_DOWN_OPEN.rawValue : NC_ALL_DOWN_USER_SPACE.rawValue),
            ecs: policy.usesClientSubnet ? 1 : 0, reserved: 0)
    }
}

extension TailoredRecords.Content {
    /// - Parameter ids: Of nodes, by slot: slots are each machine's own.
    fileprivate func add(to digest: inout ModelDigest, ids: [Int: String]) {
        switch self {
        case .services(let services):
            digest.add(1)
            for service in services {
                digest.add(ids[service.slot])
                digest.add(service.data)
            }
        case .alias(let table, let hosts):
            digest.add(2)
            digest.add(table)
            for (id, host) in hosts.map({ (ids[$0.key] ?? "", $0.value) }).sorted(by: { $0.0 < $1.0 }) {
                digest.add(id)
                digest.add(host)
            }
        case .binding(let type, let v4, let v6, let prefix):
            digest.add(3)
            digest.add(Int(type.rawValue))
            digest.add(v4 ?? -1)
            digest.add(v6 ?? -1)
            digest.add(prefix)
        }
    }
}
