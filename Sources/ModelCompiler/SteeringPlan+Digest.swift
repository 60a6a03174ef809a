import DNSWire
import IPNetworks
import Location
import Resolution
import Steering

extension SteeringPlan {
    /// Adds everything that decides answers. Slots differ between machines, so nodes are identified by id or by their
    /// position in the file.
    func add(to digest: inout ModelDigest) {
        for node in nodes { digest.add(node) }
        for view in views {
            digest.add(view.id)
            digest.add(view.isOverlay ? 1 : 0)
            digest.add(view.clients.count)
            for client in view.clients { digest.add("\(client)") }
        }
        for key in keys { digest.add(key) }
        for name in tailored {
            digest.add(name.name.lowercasedWire)
            digest.add(name.choice)
            for (view, choice) in name.views.sorted(by: { $0.key < $1.key }) {
                digest.add(view)
                digest.add(choice)
            }
        }
        let ids = Dictionary(uniqueKeysWithValues: nodes.map { ($0.slot, $0.id) })
        for entry in records {
            digest.add(entry.name.lowercasedWire)
            digest.add(entry.choice, ids)
            for (view, choice) in entry.views.sorted(by: { $0.key < $1.key }) {
                digest.add(view)
                digest.add(choice, ids)
            }
        }
    }
}

extension ModelDigest {
    fileprivate mutating func add(_ node: SteeringNode) {
        add(node.id)
        for isOverlay in [false, true] {
            for family in IPFamily.allCases {
                add(node.address(family, overlay: isOverlay).map { [UInt8(family.rawValue)] + $0.bytes } ?? [])
            }
        }
        add(node.coordinates.latitude)
        add(node.coordinates.longitude)
        add(node.isLocated ? 1 : 0)
        for text in [node.country, node.region, node.continent] { add(text) }
    }

    fileprivate mutating func add(_ key: SteeringKey) {
        add(key.family?.rawValue ?? 0)
        add(key.overlay ? 1 : 0)
        add("\(key.strategy)")
        add(key.scoring.sameRegionPreference ? 1 : 0)
        add(key.scoring.biasThousandths)
        add(key.maximumKilometres ?? -1)
        add(key.tolerance.percent)
        add(key.tolerance.kilometres)
        add(key.members.count)
        for member in key.members {
            for number in [member.node, Int(member.weight), member.bias, member.tier] { add(number) }
        }
        add(key.tierMinimum.count)
        for minimum in key.tierMinimum { add(minimum) }
        add(key.rules.count)
        for rule in key.rules {
            add("\(rule.match) \(rule.action)")
            add(rule.nodes?.count ?? -1)
            for node in rule.nodes ?? [] { add(node) }
        }
        add(key.latency)
    }

    private mutating func add(_ latency: LatencyTable?) {
        let rows = (latency?.rows ?? [:]).map { ("\($0.key)", $0.value) }.sorted { $0.0 < $1.0 }
        add(rows.count)
        for (place, times) in rows {
            add(place)
            add(times.count)
            for (node, milliseconds) in times.sorted(by: { $0.key < $1.key }) {
                add(node)
                add(milliseconds)
            }
        }
    }

    fileprivate mutating func add(_ chain: SteeringChain?) {
        add(chain?.steps.count ?? -1)
        guard let chain else { return }
        for step in chain.steps {
            add(step.table)
            add((step.isOverlay ? 1 : 0) + (step.isFallback ? 2 : 0))
        }
        add(chain.isOpen ? 1 : 0)
        add(chain.addresses.count)
        for address in chain.addresses { add(address.bytes) }
    }

    fileprivate mutating func add(_ choice: AddressChoice) {
        withUnsafeBytes(of: choice.rule) { add($0) }
        add(choice.v4)
        add(choice.v6)
    }

    /// Data by slot, in the order of node ids.
    private mutating func add(_ data: [Int: [UInt8]], _ ids: [Int: String]) {
        for (id, bytes) in data.map({ (ids[$0.key] ?? "", $0.value) }).sorted(by: { $0.0 < $1.0 }) {
            add(id)
            add(bytes)
        }
    }

    /// - Parameter ids: node ids, by slot.
    fileprivate mutating func add(_ choice: TailoredRecords.Choice, _ ids: [Int: String]) {
        withUnsafeBytes(of: choice.rule) { add($0) }
        switch choice.content {
        case .services(let services, let fallback):
            add(1)
            for list in [services, fallback] {
                add(list.count)
                for service in list {
                    add(ids[service.slot])
                    add(service.data)
                }
            }
        case .alias(let chain, let hosts):
            add(2)
            add(chain)
            add(hosts, ids)
        case .texts(let chain, let texts):
            add(4)
            add(chain)
            add(texts, ids)
        case .exchanges(let chain, let preference, let hosts):
            add(5)
            add(chain)
            add(Int(preference))
            add(hosts, ids)
        case .binding(let type, let v4, let v6, let prefix):
            add(3)
            add(Int(type.rawValue))
            add(v4)
            add(v6)
            add(prefix)
        }
    }
}
