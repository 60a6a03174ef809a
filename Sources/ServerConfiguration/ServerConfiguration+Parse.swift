import Yams

extension ServerConfiguration {
    /// Reads the text of a configuration file and validates all of it.
    ///
    /// - Parameters:
    ///   - yaml: one YAML document.
    ///   - file: the name that problems carry.
    ///   - baseFolder: the absolute path of the folder that relative paths start from.
    /// - Throws: every problem, sorted by place. A text that is not YAML, has an anchor or an alias, or a key twice
    ///   in one mapping, has only that problem: nothing after it can be read.
    public static func parse(
        yaml: String, file: String, baseFolder: String
    ) throws(ConfigurationError) -> ServerConfiguration {
        let document = try compose(yaml, file: file)
        var reader = ConfigurationReader(file: file, baseFolder: baseFolder)
        let configuration = reader.configuration(document)
        // The sort is stable: problems at one place keep the order in which they were found.
        let problems = reader.problems.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
        guard problems.isEmpty, let configuration else { throw ConfigurationError(problems: problems) }
        return configuration
    }

    private static func compose(_ yaml: String, file: String) throws(ConfigurationError) -> Node {
        func failure(_ mark: SourceMark, _ message: String) -> ConfigurationError {
            ConfigurationError(problems: [ConfigurationError.Problem(file: file, at: mark, message: message)])
        }
        // A byte order mark is no part of the text: it would move the columns of the first line.
        let text = yaml.unicodeScalars.first == "\u{FEFF}" ? String(yaml.unicodeScalars.dropFirst()) : yaml
        if let shared = YAMLSharing.first(in: text) {
            throw failure(
                shared.mark,
                "\(Spelling.quoted(shared.text)) is a YAML anchor or alias, expected none: write the value out")
        }
        let document: Node?
        do {
            // No rules: `NO` is a country and `off` a mode, not booleans; the reader gives types to values.
            document = try Yams.compose(yaml: text, .basic, .default, .utf8)
        } catch let error as YamlError {
            let (mark, message) = error.explanation
            throw failure(mark, message)
        } catch {
            throw failure(SourceMark(line: 1, column: 1), "the text is not YAML (\(error)): correct it")
        }
        guard let document else {
            throw failure(
                SourceMark(line: 1, column: 1),
                "the file is empty, expected a mapping with at least listen and zones: see docs/configuration.md")
        }
        return document
    }
}

extension ConfigurationReader {
    static let topLevel = [
        "listen", "tcp", "tls", "control", "fast_path", "geo", "identity", "cookies", "rate_limit", "health", "rtt",
        "nodes", "pools", "regions", "policies", "views", "zones", "tailored", "state", "watch",
    ]

    /// Reads the whole document; `nil` only after a problem.
    fileprivate mutating func configuration(_ document: Node) -> ServerConfiguration? {
        guard document.mapping != nil else {
            report(
                document.place,
                "the file holds \(document.kind), expected a mapping with at least listen and zones: "
                    + "see docs/configuration.md")
            return nil
        }
        guard let root = fields(document, name: "", prefix: "", owner: "", known: Self.topLevel) else { return nil }
        let listen = listen(root)
        let tcp = tcp(root)
        let tls = tls(root, listen: listen)
        let control = control(root)
        let state = path("state", in: root, default: "/var/lib/nearcast")
        let fastPath = fastPath(root)
        requireAddresses(listen, fastPath)
        let geo = geo(root, state: state)
        let identity = identity(root)
        let cookies = cookies(root)
        let rateLimit = rateLimit(root, fastPath)

        let nodeEntries = entries(Self.nodeSection, in: root)
        let poolEntries = entries(Self.poolSection, in: root)
        let policyEntries = entries(Self.policySection, in: root)
        let regionEntries = entries(Self.regionSection, in: root)
        let viewEntries = entries(Self.viewSection, in: root)
        let zoneEntries = entries(Self.zoneSection, in: root)
        let tailoredEntries = entries(Self.tailoredSection, in: root)

        let origins = ServedOrigins(zoneEntries)
        let settings = nodes(nodeEntries, zones: origins)
        let pools = pools(poolEntries, nodes: KnownIdentifiers(nodeEntries))
        let health = health(root)
        let streams = listen + (tls.flatMap { $0?.listen } ?? [])
        for entry in health.reports?.listener?.listen ?? []
        where streams.contains(where: { $0.endpoint == entry.endpoint }) {
            report(
                entry.mark,
                "health.reports.listen has \(entry.endpoint), which listen or tls.listen has too, expected another port: "
                    + "change one of them")
        }
        let nodes = nodeHealth(settings, nodeEntries, pools, poolEntries, health.draft)
        let regions = regions(regionEntries, nodes: KnownIdentifiers(nodeEntries), settings)
        let policies = policies(
            policyEntries, nodes: KnownIdentifiers(nodeEntries), pools: KnownIdentifiers(poolEntries))
        let views = views(viewEntries)
        let zones = zones(zoneEntries, in: root)
        let tailored = tailored(
            tailoredEntries, zones: origins,
            SteeringIdentifiers(
                pools: KnownIdentifiers(poolEntries), policies: KnownIdentifiers(policyEntries),
                views: KnownIdentifiers(viewEntries)))
        checkHostnames(tailored, pools, nodes, policies)
        checkSteering(tailored, pools, policies)
        checkAutonomousSystems(policies, root)

        let roundTrips = roundTrips(root, nodes: KnownIdentifiers(nodeEntries), state: state)
        if let roundTrips = roundTrips ?? nil {
            requireOwn(roundTrips.file, zones.map(\.file) + (geo.map { [$0.database.path] } ?? []))
        }
        let watch = watch(root)

        guard let tcp, let tls, let watch, let control, let state, let fastPath, let geo, let identity, let cookies,
            let roundTrips
        else { return nil }
        return ServerConfiguration(
            file: file, listen: listen, tcp: tcp, tls: tls, control: control, state: state, fastPath: fastPath,
            geo: geo, identity: identity, cookies: cookies, rateLimit: rateLimit, nodes: nodes, brake: health.brake,
            reports: health.reports, observers: health.observers, pools: pools, regions: regions,
            policies: policies, views: views, zones: zones, watch: watch, tailored: tailored, roundTrips: roundTrips)
    }
}

extension YamlError {
    /// The place and the words of a problem that the YAML parser found.
    fileprivate var explanation: (SourceMark, String) {
        switch self {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _):
            let context = context.map { " \($0.text) from line \($0.mark.line)" } ?? ""
            return (
                SourceMark(line: mark.line, column: mark.column),
                "the YAML is malformed (\(problem)\(context)): correct the syntax here or just before"
            )
        case .composer(let context, let problem, let mark, _):
            let context = context.map { "\($0.text), " } ?? ""
            return (
                SourceMark(line: mark.line, column: mark.column),
                "the YAML is malformed (\(context)\(problem)): remove it"
            )
        case .reader(let problem, let offset, _, let yaml):
            return (
                SourceMark(after: offset ?? 0, charactersOf: yaml),
                "the YAML is malformed (\(problem)): remove the character"
            )
        case .duplicatedKeysInMapping(let keys, let context):
            let names = keys.map(Spelling.quoted).joined(separator: ", ")
            return (
                SourceMark(line: max(1, context.mark.line), column: max(1, context.mark.column)),
                "key \(names) is given again later in the same mapping, expected each key once: keep one of them"
            )
        default:
            return (SourceMark(line: 1, column: 1), "the YAML cannot be read (\(self)): correct the file")
        }
    }
}

extension SourceMark {
    /// The place after the first `count` characters of `text`.
    fileprivate init(after count: Int, charactersOf text: String) {
        let before = text.prefix(count).unicodeScalars
        let line = before.count { $0 == "\n" } + 1
        let column = before.reversed().prefix { $0 != "\n" }.count + 1
        self.init(line: line, column: column)
    }
}
