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
            add(name, members, policy)
        }
    }

    private mutating func add(_ name: TailoredSettings, _ members: [Steering.PoolMember], _ policy: PolicySettings) {
        let tolerance = Tolerance(percent: policy.tolerancePercent, kilometres: policy.toleranceKilometres)
        let rule = nc_rule(
            ttl_min: policy.ttlMin, ttl_max: policy.ttlMax, answers: UInt8(policy.answers),
            all_down: UInt8(policy.whenAllDown == .open ? NC_ALL_DOWN_OPEN.rawValue : NC_ALL_DOWN_USER_SPACE.rawValue),
            ecs: policy.usesClientSubnet ? 1 : 0, reserved: 0)
        func table(_ family: IPFamily) -> Int? {
            guard members.contains(where: { nodes[$0.node].address(family) != nil }) else { return nil }
            let key = SteeringKey(members: members, tolerance: tolerance, family: family)
            if let known = keyNumbers[key] { return known }
            keys.append(key)
            keyNumbers[key] = keys.count - 1
            return keys.count - 1
        }
        let entry = TailoredName(
            name: name.name, rule: rule, v4: table(.v4), v6: table(.v6), pool: name.pool, policy: name.policy)
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
            digest.add(key.family.rawValue)
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
    }
}
