import ConfigurationModel
import Yams

/// The top level, and the keys about the server itself.
extension YAMLReader {
    mutating func configuration(_ fields: Fields) -> ConfigurationDeclaration {
        var declaration = ConfigurationDeclaration()
        declaration.listen = texts("listen", in: fields, .listen, Expected.endpoint)
        declaration.tcp = mapping("tcp", in: fields, known: TCPDeclaration.keys) { $0.tcp($1) }
        declaration.tls = mapping("tls", in: fields, known: TLSDeclaration.keys) { $0.tls($1) }
        declaration.control = text("control", in: fields, Expected.path)
        declaration.metrics = mapping("metrics", in: fields, known: MetricsDeclaration.keys) { $0.metrics($1) }
        declaration.lookup = mapping("lookup", in: fields, known: LookupDeclaration.keys) { reader, fields in
            var lookup = LookupDeclaration()
            lookup.servers = reader.texts("servers", in: fields, .lookupServers, Expected.endpoint)
            return lookup
        }
        declaration.fastPath = mapping("fast_path", in: fields, known: FastPathDeclaration.keys) { $0.fastPath($1) }
        declaration.geo = mapping("geo", in: fields, known: GeoDeclaration.keys) { $0.geo($1) }
        declaration.identity = mapping("identity", in: fields, known: IdentityDeclaration.keys) { $0.identity($1) }
        declaration.cookies = mapping("cookies", in: fields, known: CookiesDeclaration.keys) { $0.cookies($1) }
        declaration.rateLimit = mapping("rate_limit", in: fields, known: RateLimitDeclaration.keys) {
            $0.rateLimit($1)
        }
        declaration.health = mapping("health", in: fields, known: ServerHealthDeclaration.keys) {
            $0.serverHealth($1)
        }
        declaration.roundTrips = mapping("rtt", in: fields, known: RoundTripsDeclaration.keys) { $0.roundTrips($1) }
        declaration.nodes = entries(.nodes, in: fields, known: NodeDeclaration.keys) { $0.node($1) }
        declaration.pools = entries(.pools, in: fields, known: PoolDeclaration.keys) { $0.pool($1) }
        declaration.regions = entries(.regions, in: fields, known: RegionDeclaration.keys) { $0.region($1) }
        declaration.policies = entries(.policies, in: fields, known: PolicyDeclaration.keys) { $0.policy($1) }
        declaration.views = entries(.views, in: fields, known: ViewDeclaration.keys) { $0.view($1) }
        declaration.zones = entries(.zones, in: fields, known: ZoneDeclaration.keys) { $0.zone($1) }
        declaration.tailored = entries(.tailored, in: fields, known: TailoredDeclaration.keys) { $0.tailored($1) }
        declaration.aliases = entries(.aliases, in: fields, known: AliasDeclaration.keys) { $0.alias($1) }
        declaration.state = text("state", in: fields, Expected.path)
        declaration.watch = text("watch", in: fields, Expected.oneOf(WatchMode.self))
        declaration.lint = mapping("lint", in: fields, known: LintDeclaration.keys) { reader, fields in
            var lint = LintDeclaration()
            lint.off = reader.texts("off", in: fields, .lints, Expected.lint)
            return lint
        }
        return declaration
    }

    /// The list of a section whose entries are mappings with an id or name.
    private mutating func entries<Declaration>(
        _ section: Section, in root: Fields, known: [String], _ read: (inout YAMLReader, Fields) -> Declaration
    ) -> DeclaredList<Declaration> {
        list(section.key, in: root, section.list) { reader, node, number in
            let identifier = node.mapping?.first { $0.key.scalar?.string == section.identifier }?.value
            let subject = section.subject(identifier?.scalar?.string, number: number)
            return reader.fields(node, name: subject.owner, subject, known: known).map { read(&reader, $0) }
        }
    }

    /// The key that names an entry.
    mutating func identifier(_ section: Section, in fields: Fields) -> Declared<String> {
        text(section.identifier, in: fields, Expected.name)
    }

    private mutating func tcp(_ fields: Fields) -> TCPDeclaration {
        var declaration = TCPDeclaration()
        declaration.idle = text("idle", in: fields, TimeSpan.idle.expected)
        declaration.connections = integer("connections", in: fields, .connections)
        declaration.perClient = integer("per_client", in: fields, .connections)
        declaration.queries = integer("queries", in: fields, .queriesPerConnection)
        return declaration
    }

    private mutating func tls(_ fields: Fields) -> TLSDeclaration {
        var declaration = TLSDeclaration()
        declaration.listen = texts("listen", in: fields, .tlsListen, Expected.endpoint)
        declaration.certificate = text("certificate", in: fields, Expected.path)
        declaration.key = text("key", in: fields, Expected.path)
        return declaration
    }

    private mutating func metrics(_ fields: Fields) -> MetricsDeclaration {
        var declaration = MetricsDeclaration()
        declaration.listen = texts("listen", in: fields, .metricsListen, Expected.endpoint)
        declaration.tls = mapping("tls", in: fields, known: MetricsTLSDeclaration.keys) { reader, fields in
            var tls = MetricsTLSDeclaration()
            tls.certificate = reader.text("certificate", in: fields, Expected.path)
            tls.key = reader.text("key", in: fields, Expected.path)
            return tls
        }
        return declaration
    }

    private mutating func fastPath(_ fields: Fields) -> FastPathDeclaration {
        var declaration = FastPathDeclaration()
        declaration.interfaces = texts("interfaces", in: fields, .interfaces, Expected.interface)
        declaration.mode = text("mode", in: fields, Expected.oneOf(FastPathSettings.Mode.self))
        declaration.onExit = text("on_exit", in: fields, Expected.oneOf(FastPathSettings.ExitAction.self))
        declaration.stale = mapping("stale", in: fields, known: StaleDeclaration.keys) { reader, fields in
            var stale = StaleDeclaration()
            stale.after = reader.text("after", in: fields, TimeSpan.staleAfter.expected)
            stale.ttl = reader.integer("ttl", in: fields, .staleTTL)
            return stale
        }
        declaration.cookies = flag("cookies", in: fields)
        declaration.nsid = flag("nsid", in: fields)
        declaration.vlan = flag("vlan", in: fields)
        declaration.truncation = flag("truncation", in: fields)
        declaration.rateLimit = flag("rate_limit", in: fields)
        declaration.passedPerSecond = integer("passed_per_second", in: fields, .passedPerSecond)
        declaration.passedDryRun = flag("passed_dry_run", in: fields)
        return declaration
    }

    private mutating func identity(_ fields: Fields) -> IdentityDeclaration {
        var declaration = IdentityDeclaration()
        declaration.nsid = text("nsid", in: fields, Expected.nsid)
        declaration.hostname = text("hostname", in: fields, Expected.characterString)
        declaration.version = text("version", in: fields, Expected.characterString)
        declaration.digest = flag("digest", in: fields)
        return declaration
    }

    private mutating func cookies(_ fields: Fields) -> CookiesDeclaration {
        var declaration = CookiesDeclaration()
        declaration.enabled = flag("enabled", in: fields)
        declaration.secrets = texts("secrets", in: fields, .secrets, Expected.secret)
        declaration.secretFile = text("secret_file", in: fields, Expected.path)
        declaration.require = flag("require", in: fields)
        return declaration
    }

    private mutating func rateLimit(_ fields: Fields) -> RateLimitDeclaration {
        var declaration = RateLimitDeclaration()
        declaration.responsesPerSecond = integer("responses_per_second", in: fields, .repliesPerSecond)
        declaration.errorsPerSecond = integer("errors_per_second", in: fields, .repliesPerSecond)
        declaration.slip = integer("slip", in: fields, .slip)
        declaration.v4Prefix = integer("ipv4_prefix", in: fields, .v4PrefixLength)
        declaration.v6Prefix = integer("ipv6_prefix", in: fields, .v6PrefixLength)
        declaration.exempt = networks("exempt", in: fields)
        declaration.dryRun = flag("dry_run", in: fields)
        return declaration
    }

    private mutating func roundTrips(_ fields: Fields) -> RoundTripsDeclaration {
        var declaration = RoundTripsDeclaration()
        declaration.node = reference("node", in: fields, to: .nodes, owner: "rtt")
        declaration.ports = integers("ports", in: fields, .ports, .port)
        declaration.file = text("file", in: fields, Expected.path)
        declaration.minimumSamples = integer("minimum_samples", in: fields, .minimumSamples)
        declaration.margin = integer("margin", in: fields, .margin)
        declaration.every = text("every", in: fields, TimeSpan.every.expected)
        return declaration
    }

    mutating func networks(_ key: String, in fields: Fields) -> DeclaredList<String> {
        texts(key, in: fields, .networks(key), Expected.network)
    }
}
