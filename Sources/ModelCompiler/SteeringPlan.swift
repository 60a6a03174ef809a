import CFastPathABI
import ConfigurationModel
import DNSWire
import IPNetworks
import Lints
import Location
import Resolution
import Steering

/// Turns the nodes, pools, policies, views and tailored names of a configuration into the compiler's input for
/// steering.
struct SteeringPlan {
    let nodes: [SteeringNode]
    let views: [Views.View]
    private(set) var keys: [SteeringKey] = []
    private(set) var tailored: [TailoredName] = []
    private(set) var records: [TailoredRecords] = []
    private(set) var warnings: [LintWarning] = []
    /// Names that need a table beyond the limit, with the table's number.
    private(set) var excess: [(name: TailoredSettings, table: Int)] = []

    let configuration: ServerConfiguration
    let pools: [String: PoolSettings]
    let policies: [String: PolicySettings]
    /// Node id → index.
    let numbers: [String: Int]
    /// Policy id → measured times.
    private let latencies: [String: LatencyTable]
    var hostsOfPools: [[String]: [Int: [UInt8]]] = [:]
    private var keyNumbers: [SteeringKey: Int] = [:]
    /// What names ask for → its table; nil when no member has such an address. Keys are large, and names many.
    private var requested: [TableRequest: Int?] = [:]

    private struct TableRequest: Hashable {
        let pool: String
        let policy: String
        let family: IPFamily?
        let isOverlay: Bool
    }

    private var warned: Set<LintWarning> = []

    init(_ configuration: ServerConfiguration, slots: SlotTable, latencies: [String: LatencyTable]) {
        self.configuration = configuration
        self.latencies = latencies
        nodes = configuration.nodes.map { node in
            SteeringNode(
                id: node.id, slot: slots.slots[node.id] ?? 0, addresses: node.addresses, overlay: node.overlay,
                coordinates: Coordinates(
                    latitude: node.location?.latitudeMicrodegrees ?? 0,
                    longitude: node.location?.longitudeMicrodegrees ?? 0),
                isLocated: node.location != nil, country: node.location?.country, region: node.location?.region,
                continent: node.location?.continent, provider: node.provider.map { "\($0.name)" })
        }
        views = configuration.views.map {
            Views.View(id: $0.id, clients: $0.clients, isOverlay: $0.addresses == .overlay)
        }
        numbers = Dictionary(uniqueKeysWithValues: nodes.enumerated().map { ($0.element.id, $0.offset) })
        pools = Dictionary(uniqueKeysWithValues: configuration.pools.map { ($0.id, $0) })
        policies = Dictionary(uniqueKeysWithValues: configuration.policies.map { ($0.id, $0) })
        for name in configuration.tailored { add(name) }
        for view in configuration.views { warn(of: view) }
    }

    /// Warns when a view has no effect.
    private mutating func warn(of view: ViewSettings) {
        guard !configuration.tailored.contains(where: { $0.views.contains { $0.view == view.id } }) else { return }
        if view.addresses == .public {
            warn(
                .unusedView, "view \"\(view.id)\" changes nothing: no tailored name lists it under views", at: view.mark
            )
        } else if !configuration.nodes.contains(where: { !$0.overlay.isEmpty }) {
            warn(.unusedView, "view \"\(view.id)\" changes nothing: no node has overlay addresses", at: view.mark)
        }
    }

    private mutating func add(_ name: TailoredSettings) {
        let tables = keys.count
        if name.records == .addresses {
            if let entry = tailoredName(name) { tailored.append(entry) }
        } else if let entry = tailoredRecords(name) {
            records.append(entry)
        }
        if keys.count > max(tables, Int(NC_MAX_STEERING_TABLES)) { excess.append((name, keys.count)) }
    }

    /// Adds a warning once.
    mutating func warn(_ lint: Lint, _ message: String, at mark: DocumentLocation) {
        let warning = LintWarning(lint, at: "\(mark)", message)
        if warned.insert(warning).inserted { warnings.append(warning) }
    }

    // MARK: - Tables

    /// The table of a pool and a policy. `nil` when no member has such an address.
    mutating func table(
        _ pool: PoolSettings, _ policy: PolicySettings, _ family: IPFamily?, isOverlay: Bool = false
    ) -> Int? {
        let request = TableRequest(pool: pool.id, policy: policy.id, family: family, isOverlay: isOverlay)
        if let known = requested[request] { return known }
        let table = keyNumber(pool, policy, family, isOverlay: isOverlay)
        requested[request] = .some(table)
        return table
    }

    private mutating func keyNumber(
        _ pool: PoolSettings, _ policy: PolicySettings, _ family: IPFamily?, isOverlay: Bool
    ) -> Int? {
        let members = members(of: pool, by: policy)
        if let family, !members.contains(where: { nodes[$0.node].address(family, overlay: isOverlay) != nil }) {
            return nil
        }
        let key = SteeringKey(
            members: members,
            tolerance: Tolerance(percent: policy.tolerancePercent, kilometres: policy.toleranceKilometres),
            family: family, strategy: policy.ranking, scoring: policy.originalScoring,
            maximumKilometres: policy.maximumKilometres, rules: policy.rules.map { rule($0) },
            tierMinimum: policy.strategy == .failover ? pool.minimums : [],
            latency: policy.strategy == .latency ? latencies[policy.id] : nil, overlay: isOverlay)
        if let known = keyNumbers[key] { return known }
        keys.append(key)
        keyNumbers[key] = keys.count - 1
        return keys.count - 1
    }

    /// Fields that the policy ignores are equal in all keys, so that tables are shared.
    func members(of pool: PoolSettings, by policy: PolicySettings) -> [Steering.PoolMember] {
        pool.tiers.enumerated().flatMap { tier, content in
            content.members.compactMap { member in
                numbers[member.node].map {
                    Steering.PoolMember(
                        node: $0,
                        weight: policy.weighBy == .capacity ? member.capacity ?? member.weight : member.weight,
                        bias: policy.ranking == .nearest ? member.bias : 0,
                        tier: policy.strategy == .failover ? tier : 0)
                }
            }
        }
    }

    private func rule(_ rule: RuleSettings) -> GeoRule {
        let match: GeoRule.Match
        switch rule.match {
        case .country(let code): match = .country(code)
        case .region(let country, let region): match = .region(country: country, region)
        case .continent(let code): match = .continent(code)
        case .asn(let number): match = .asn(number)
        case .prefix(let prefix): match = .prefix(prefix)
        case .label(let label): match = .word(label)
        case .everyone: match = .any
        }
        let action: GeoRule.Action
        switch rule.action {
        case .allow: action = .allow
        case .deny: action = .deny
        case .pin: action = .pin
        }
        return GeoRule(match: match, action: action, nodes: rule.nodes.map { $0.compactMap { numbers[$0] }.sorted() })
    }
}

extension PoolSettings {
    /// By tier. The default is 1.
    fileprivate var minimums: [Int] {
        let minimums = tiers.map(\.minimum)
        return Array(minimums.prefix((minimums.lastIndex { $0 > 1 } ?? -1) + 1))
    }
}

extension PolicySettings {
    fileprivate var ranking: Steering.Strategy {
        switch strategy {
        case .nearest, .failover: .nearest
        case .linear: .linear
        case .quadratic: .quadratic
        case .logarithmic: .logarithmic
        case .stepped: .stepped
        case .latency: .latency
        case .static: .order
        case .weighted: .weighted
        }
    }

    fileprivate var originalScoring: OriginalScoring {
        guard ranking.isOriginal else { return OriginalScoring() }
        return OriginalScoring(
            sameRegionPreference: scoring.prefersSameRegion, biasThousandths: scoring.biasThousandths)
    }
}
