import Health

extension ServerConfiguration {
    /// Checks a declaration and makes a configuration of it.
    ///
    /// - Parameters:
    ///   - declaration: the document's content, at the location of the whole document.
    ///   - document: the document's name for messages: for a file its path.
    ///   - baseFolder: the absolute path of the folder that relative paths start from.
    ///   - found: the problems that the reader of the document found.
    /// - Throws: those, and every problem that the rules find, sorted by location.
    public init(
        _ declaration: Located<ConfigurationDeclaration>, document: String, baseFolder: String,
        found: [ConfigurationError.Problem] = []
    ) throws(ConfigurationError) {
        var rules = ConfigurationRules(document: document, baseFolder: baseFolder)
        let configuration = rules.configuration(declaration)
        // The sort is stable: problems at one location keep their order.
        let problems = (found + rules.problems).sorted { $0.location < $1.location }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        guard let configuration else {
            // Reached only if a reader left values unreadable without reporting it.
            throw ConfigurationError(problems: [
                ConfigurationError.Problem(
                    at: declaration.location, "a value could not be read", remedy: "check the types of all values")
            ])
        }
        self = configuration
    }
}

extension ConfigurationRules {
    /// `nil` only after a problem.
    fileprivate mutating func configuration(_ located: Located<ConfigurationDeclaration>) -> ServerConfiguration? {
        let (declared, root) = (located.value, Scope(.root, at: located.location))
        let listen = listen(declared, root)
        let tcp = tcp(declared, root)
        let tls = tls(declared, root, listen: listen)
        let control = control(declared, root)
        let state = path(declared.state, "state", in: root, default: "/var/lib/nearcast")
        let fastPath = fastPath(declared, root)
        requireAddresses(listen, fastPath)
        let geo = geo(declared, root, state: state)
        let identity = identity(declared, root)
        let cookies = cookies(declared, root)
        let rateLimit = rateLimit(declared, root, fastPath)
        let health = health(declared, root)
        requireOwnEndpoints(health.reports, listen, tls ?? nil)
        let model = model(declared, root, health.draft)
        let roundTrips = roundTrips(declared, root, nodes: model.nodeIDs, state: state)
        requireOwnFile(roundTrips ?? nil, model.zones.map(\.file) + (geo.map { [$0.database.path] } ?? []))

        guard let tcp, let tls, let watch = declared.watch.value(or: true), let control, let state, let fastPath,
            let geo, let identity, let cookies, let roundTrips
        else { return nil }
        return ServerConfiguration(
            file: document, listen: listen, tcp: tcp, tls: tls, control: control, state: state, fastPath: fastPath,
            geo: geo, identity: identity, cookies: cookies, rateLimit: rateLimit, nodes: model.nodes,
            brake: health.brake, reports: health.reports, observers: health.observers, pools: model.pools,
            regions: model.regions, policies: model.policies, views: model.views, zones: model.zones, watch: watch,
            tailored: model.tailored, roundTrips: roundTrips)
    }

    /// Everything that answers are made of.
    private struct Model {
        let nodeIDs: KnownIdentifiers
        let nodes: [NodeSettings]
        let pools: [PoolSettings]
        let regions: [Region]
        let policies: [PolicySettings]
        let views: [ViewSettings]
        let zones: [ZoneSettings]
        let tailored: [TailoredSettings]
    }

    private mutating func model(
        _ declared: ConfigurationDeclaration, _ root: Scope, _ health: HealthDraft
    ) -> Model {
        let nodeEntries = entries(declared.nodes, .nodes, by: \.id)
        let poolEntries = entries(declared.pools, .pools, by: \.id)
        let policyEntries = entries(declared.policies, .policies, by: \.id)
        let regionEntries = entries(declared.regions, .regions, by: \.id)
        let viewEntries = entries(declared.views, .views, by: \.id)
        let zoneEntries = entries(declared.zones, .zones, by: \.origin)
        let tailoredEntries = entries(declared.tailored, .tailored, by: \.name)

        let (nodeIDs, poolIDs) = (KnownIdentifiers(nodeEntries), KnownIdentifiers(poolEntries))
        let origins = ServedOrigins(zoneEntries)
        let settings = nodes(nodeEntries, zones: origins)
        let pools = pools(poolEntries, nodes: nodeIDs)
        let nodes = nodeHealth(settings, nodeEntries, pools, poolEntries, health)
        let regions = regions(regionEntries, nodes: nodeIDs, settings)
        let policies = policies(policyEntries, nodes: nodeIDs, pools: poolIDs)
        let views = views(viewEntries)
        let zones = zones(declared, zoneEntries, root)
        let known = SteeringIdentifiers(
            pools: poolIDs, policies: KnownIdentifiers(policyEntries), views: KnownIdentifiers(viewEntries))
        let tailored = tailored(tailoredEntries, zones: origins, known)
        checkHostnames(tailored, pools, nodes, policies)
        checkSteering(tailored, pools, policies)
        checkAutonomousSystems(policies, declared)
        return Model(
            nodeIDs: nodeIDs, nodes: nodes, pools: pools, regions: regions, policies: policies, views: views,
            zones: zones, tailored: tailored)
    }
}
