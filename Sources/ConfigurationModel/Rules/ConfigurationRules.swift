import Health

extension ServerConfiguration {
    /// Checks a declaration and makes a configuration of it.
    ///
    /// - Parameters:
    ///   - declaration: the document's content, at the location of the whole document.
    ///   - document: the document's name for messages: for a file its path.
    ///   - baseFolder: the absolute path of the folder that relative paths start from.
    ///   - variables: the environment variables that paths may name.
    ///   - found: the problems that the reader of the document found.
    /// - Throws: those, and every problem that the rules find, sorted by location.
    public init(
        _ declaration: Located<ConfigurationDeclaration>, document: String, baseFolder: String,
        variables: PathVariables = PathVariables(), found: [ConfigurationError.Problem] = []
    ) throws(ConfigurationError) {
        let context = RuleContext(document: document, baseFolder: baseFolder, variables: variables)
        let configuration = ConfigurationRules(context: context).configuration(declaration)
        // The sort is stable: problems at one location keep their order.
        let problems = (found + context.problems).sorted { $0.location < $1.location }
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

/// Turns a declaration into settings and collects its problems.
///
///     reader ──► ConfigurationDeclaration ──► rules ──► ServerConfiguration
///      │ types, keys                           │ everything else
///      └──────────────► problems ◄─────────────┘
///
/// Each subject has a type of its own, which reports to one shared context.
private struct ConfigurationRules: EntryRules {
    let context: RuleContext

    /// `nil` only after a problem.
    func configuration(_ located: Located<ConfigurationDeclaration>) -> ServerConfiguration? {
        let (declared, root) = (located.value, Scope(.root, at: located.location))
        let (server, streams) = (ServerRules(context: context), StreamRules(context: context))
        let (fastPaths, protocols) = (FastPathRules(context: context), ProtocolRules(context: context))
        let (reports, learning) = (ReportRules(context: context), RoundTripRules(context: context))
        let listen = server.listen(declared, root)
        let tcp = streams.tcp(declared, root)
        let tls = streams.tls(declared, root, listen: listen)
        let control = server.control(declared, root)
        let state = path(declared.state, "state", in: root, default: "/var/lib/nearcast")
        let fastPath = fastPaths.fastPath(declared, root)
        fastPaths.requireAddresses(listen, fastPath)
        let geo = GeoRules(context: context).geo(declared, root, state: state)
        let identity = protocols.identity(declared, root)
        let cookies = protocols.cookies(declared, root)
        let rateLimit = protocols.rateLimit(declared, root, fastPath)
        let health = HealthSectionRules(context: context).health(declared, root)
        reports.requireOwnEndpoints(health.reports, listen, tls ?? nil)
        let metrics = MetricsRules(context: context).metrics(
            declared, root,
            others: listen + ((tls ?? nil)?.listen ?? []) + (health.reports?.listener?.listen ?? []))
        let lookup = LookupRules(context: context).lookup(declared, root)
        let model = model(declared, root, health.draft)
        let watch = choice(declared.watch, "watch", default: WatchMode.apply)
        let lintsOff = LintRules(context: context).off(declared, root)
        let roundTrips = learning.roundTrips(declared, root, nodes: model.names.nodes, state: state)
        learning.requireOwnFile(roundTrips ?? nil, model.zones.map(\.file) + (geo.map { [$0.database.path] } ?? []))

        guard let tcp, let tls, let watch, let control, let state, let fastPath,
            let geo, let identity, let cookies, let metrics, let lookup, let roundTrips
        else { return nil }
        return ServerConfiguration(
            file: context.document, listen: listen, tcp: tcp, tls: tls, control: control, metrics: metrics,
            lookup: lookup,
            state: state, fastPath: fastPath, geo: geo, identity: identity, cookies: cookies, rateLimit: rateLimit,
            nodes: model.nodes, brake: health.brake, reports: health.reports, observers: health.observers,
            hooks: health.hooks,
            pools: model.pools, regions: model.regions, policies: model.policies, views: model.views,
            zones: model.zones, watch: watch, tailored: model.tailored, aliases: model.aliases, roundTrips: roundTrips,
            lintsOff: lintsOff)
    }

    /// Everything that answers are made of.
    private struct Model {
        let names: DeclaredNames
        let nodes: [NodeSettings]
        let pools: [PoolSettings]
        let regions: [Region]
        let policies: [PolicySettings]
        let views: [ViewSettings]
        let zones: [ZoneSettings]
        let tailored: [TailoredSettings]
        let aliases: [AliasSettings]
    }

    private func model(_ declared: ConfigurationDeclaration, _ root: Scope, _ health: HealthDraft) -> Model {
        let nodeEntries = entries(declared.nodes, .nodes, by: \.id)
        let poolEntries = entries(declared.pools, .pools, by: \.id)
        let policyEntries = entries(declared.policies, .policies, by: \.id)
        let regionEntries = entries(declared.regions, .regions, by: \.id)
        let viewEntries = entries(declared.views, .views, by: \.id)
        let zoneEntries = entries(declared.zones, .zones, by: \.origin)
        let tailoredEntries = entries(declared.tailored, .tailored, by: \.name)
        let names = DeclaredNames(
            nodes: KnownIdentifiers(nodeEntries), pools: KnownIdentifiers(poolEntries),
            policies: KnownIdentifiers(policyEntries), views: KnownIdentifiers(viewEntries),
            origins: ServedOrigins(zoneEntries))

        let settings = NodeRules(context: context, names: names).nodes(nodeEntries)
        let pools = PoolRules(context: context, names: names).pools(poolEntries)
        let nodes = NodeHealthRules(context: context).nodes(settings, nodeEntries, pools, poolEntries, health)
        let regions = RegionRules(context: context, names: names).regions(regionEntries, settings)
        let policies = PolicyRules(context: context, names: names).policies(policyEntries)
        let views = ViewRules(context: context).views(viewEntries)
        let zones = ZoneRules(context: context).zones(declared, zoneEntries, root)
        let tailored = TailoredNameRules(context: context, names: names).tailored(tailoredEntries)
        let aliases = AliasRules(context: context, names: names)
            .aliases(entries(declared.aliases, .aliases, by: \.name), tailored)
        HostnameRules(context: context).checkMembers(of: tailored, pools, nodes, policies)
        let steering = SteeringRules(context: context)
        steering.check(tailored, pools, policies)
        steering.checkAutonomousSystems(policies, declared)
        return Model(
            names: names, nodes: nodes, pools: pools, regions: regions, policies: policies, views: views,
            zones: zones, tailored: tailored, aliases: aliases)
    }
}
