import ConfigurationModel
import ConfigurationYAML
import DNSWire
import IPNetworks
import Testing

@Suite("A configuration that is accepted")
struct ServerConfigurationTests {
    private static let complete = """
        listen: ["192.0.2.53:53", "[2001:db8::53]:53"]      # UDP and TCP
        control: /run/nearcast/control.sock
        fast_path: {interfaces: [eth0], mode: auto, on_exit: keep}
        geo: {database: /var/lib/nearcast/city.mmdb}
        nodes:
          - id: fra1
            addresses: [198.51.100.10, "2001:db8:10::1"]
            location: {latitude: 50.11, longitude: 8.68, country: DE, region: Hesse, continent: EU}
          - {id: nyc1, addresses: [198.51.100.20], location: {latitude: 40.7128, longitude: -74.006, continent: na}}
          - {id: osl1, addresses: ["2001:db8:30::1"], location: {latitude: 59.91, longitude: 10.75, country: NO}}
        pools:
          - {id: web, nodes: [fra1, {id: nyc1, weight: 10}, {id: osl1}]}
        policies:
          - {id: nearest, strategy: nearest, answers: 1, ttl: {min: 10, max: 60},
             tolerance: {percent: 0, kilometres: 0}, ecs: true, when_all_down: open}
          - {id: wide, answers: 8, ttl: {min: 1, max: 2147483647}, tolerance: {kilometres: 200}, ecs: false,
             when_all_down: refuse}
        zones:
          - {origin: example.com, file: zones/example.com.zone}
          - {origin: example.net., file: /srv/example.net.zone}
        tailored:
          - {name: www.example.com, pool: web, policy: nearest}
        state: /var/lib/nearcast
        """

    private func parse(_ yaml: String) throws -> ServerConfiguration {
        try ServerConfiguration.parse(yaml: yaml, file: "nearcast.yaml", baseFolder: "/etc/nearcast")
    }

    private func place(_ line: Int, _ column: Int) -> DocumentLocation {
        .text(FileName("nearcast.yaml"), TextPosition(line: line, column: column))
    }

    @Test("gives the server's own settings")
    func server() throws {
        let configuration = try parse(Self.complete)
        #expect(configuration.file == "nearcast.yaml")
        #expect(configuration.endpoints == ["192.0.2.53:53", "[2001:db8::53]:53"].compactMap { SocketEndpoint($0) })
        #expect(configuration.listen.map(\.mark) == [place(1, 10), place(1, 27)])
        #expect(configuration.control.path == "/run/nearcast/control.sock")
        #expect(configuration.fastPath.interfaces.map(\.name) == ["eth0"])
        #expect(configuration.fastPath.interfaces.first?.mark == place(3, 26))
        #expect(configuration.fastPath.mode == .auto)
        #expect(configuration.fastPath.onExit == .keep)
        #expect(configuration.geo.database.path == "/var/lib/nearcast/city.mmdb")
        #expect(configuration.state.path == "/var/lib/nearcast")
    }

    @Test("gives nodes with exact coordinates and upper-case codes")
    func nodes() throws {
        let nodes = try parse(Self.complete).nodes
        #expect(nodes.map(\.id) == ["fra1", "nyc1", "osl1"])
        #expect(nodes[0].addresses == ["198.51.100.10", "2001:db8:10::1"].compactMap { IPAddress($0) })
        #expect(nodes.map(\.location?.latitudeMicrodegrees) == [50_110_000, 40_712_800, 59_910_000])
        #expect(nodes.map(\.location?.longitudeMicrodegrees) == [8_680_000, -74_006_000, 10_750_000])
        #expect(nodes.map(\.location?.country) == ["DE", nil, "NO"])
        #expect(nodes.map(\.location?.region) == ["Hesse", nil, nil])
        #expect(nodes.map(\.location?.continent) == ["EU", "NA", nil])
        #expect(nodes.map(\.mark) == [place(6, 5), place(9, 5), place(10, 5)])
    }

    @Test("gives pools with weights")
    func pools() throws {
        let pool = try #require(try parse(Self.complete).pools.first)
        #expect(pool.id == "web")
        #expect(pool.members.map(\.node) == ["fra1", "nyc1", "osl1"])
        #expect(pool.members.map(\.weight) == [1, 10, 1])
    }

    @Test("gives policies with their limits")
    func policies() throws {
        let policies = try parse(Self.complete).policies
        #expect(policies.map(\.id) == ["nearest", "wide"])
        #expect(policies.map(\.strategy) == [.nearest, .nearest])
        #expect(policies.map(\.answers) == [1, 8])
        #expect(policies.map(\.ttlMin) == [10, 1])
        #expect(policies.map(\.ttlMax) == [60, 2_147_483_647])
        #expect(policies.map(\.tolerancePercent) == [0, 0])
        #expect(policies.map(\.toleranceKilometres) == [0, 200])
        #expect(policies.map(\.usesClientSubnet) == [true, false])
        #expect(policies.map(\.whenAllDown) == [.open, .refuse])
    }

    @Test("gives zones with absolute paths and tailored names")
    func names() throws {
        let configuration = try parse(Self.complete)
        #expect(configuration.zones.map(\.origin) == [try DomainName("example.com"), try DomainName("example.net")])
        #expect(
            configuration.zones.map(\.file) == ["/etc/nearcast/zones/example.com.zone", "/srv/example.net.zone"])
        let tailored = try #require(configuration.tailored.first)
        #expect(tailored.name == (try DomainName("www.example.com")))
        #expect(tailored.pool == "web")
        #expect(tailored.policy == "nearest")
        #expect(tailored.mark == place(22, 5))
    }

    @Test("gives tailored records with their settings, and host names")
    func tailoredRecords() throws {
        let configuration = try parse(
            ProblemCase.base + """
                nodes:
                  - {id: a, hostname: a.example.com, addresses: [192.0.2.1], location: {latitude: 1, longitude: 1}, texts: [x, y z]}
                pools: [{id: web, nodes: [a]}]
                policies: [{id: nearest}]
                tailored:
                  - {name: _http._tcp.example.com, type: SRV, pool: web, policy: nearest, port: 8080, priority: 10}
                  - {name: cdn.example.com, type: CNAME, pool: web, policy: nearest}
                  - {name: www.example.com, type: HTTPS, pool: web, policy: nearest, alpn: [h2, h3]}
                  - {name: www.example.com, type: addresses, pool: web, policy: nearest}
                  - {name: www2.example.com, type: HTTPS, pool: web, policy: nearest, port: 443}
                  - {name: _dns.example.com, type: SVCB, pool: web, policy: nearest, port: 443, alpn: [dot]}
                  - {name: www.example.com, type: TXT, pool: web, policy: nearest}
                  - {name: www.example.com, type: MX, pool: web, policy: nearest, priority: 5}
                  - {name: "*.example.com", type: MX, pool: web, policy: nearest}
                """)
        #expect(configuration.nodes.map(\.texts) == [["x", "y z"]])
        #expect(configuration.nodes.map(\.hostname?.name) == [try DomainName("a.example.com")])
        #expect(configuration.nodes.map(\.hostname?.mark) == [place(4, 23)])
        #expect(
            configuration.tailored.map(\.records) == [
                .services(port: 8080, priority: 10), .alias,
                .binding(.init(type: .https, port: nil, protocols: ["h2", "h3"])), .addresses,
                .binding(.init(type: .https, port: nil, protocols: [])),
                .binding(.init(type: .svcb, port: 443, protocols: ["dot"])), .texts, .exchanges(preference: 5),
                .exchanges(preference: 10),
            ])
    }

    @Test("needs only listen and zones; everything else has a default")
    func defaults() throws {
        let configuration = try parse(ProblemCase.base)
        #expect(configuration.control.path == "/run/nearcast/control.sock")
        #expect(configuration.state.path == "/var/lib/nearcast")
        #expect(configuration.geo.database.path == "/var/lib/nearcast/city.mmdb")
        #expect(configuration.fastPath.mode == .off)
        #expect(configuration.fastPath.interfaces.isEmpty)
        #expect(configuration.nodes.isEmpty && configuration.pools.isEmpty && configuration.policies.isEmpty)
        #expect(configuration.tailored.isEmpty)
    }

    @Test("streams have limits that can be changed one by one")
    func tcp() throws {
        #expect(try parse(ProblemCase.base).tcp == .standard)
        let changed = try parse(ProblemCase.base + "tcp: {idle: 500ms, connections: 9, per_client: 2, queries: 100}\n")
            .tcp
        #expect(changed.idleMilliseconds == 500 && changed.connections == 9)
        #expect(changed.connectionsPerClient == 2 && changed.queriesPerConnection == 100)
        #expect(try parse(ProblemCase.base + "tcp: {idle: 2m}\n").tcp.idleMilliseconds == 120_000)
        #expect(try parse(ProblemCase.base + "tcp: {queries: 7}\n").tcp.idleMilliseconds == 10_000)
    }

    @Test("TLS is served where configured, at port 853 by default")
    func tls() throws {
        #expect(try parse(ProblemCase.base).tls?.listen.count == nil)
        let yaml = """
            tls:
              listen: [192.0.2.53, "2001:db8::53", "[2001:db8::53]:8853"]
              certificate: tls/chain.pem
              key: /etc/ssl/private/dot.key
            """
        let tls = try #require(try parse(ProblemCase.base + yaml).tls)
        let expected = ["192.0.2.53:853", "[2001:db8::53]:853", "[2001:db8::53]:8853"]
        #expect(tls.listen.map(\.endpoint.description) == expected)
        #expect(tls.certificate.path == "/etc/nearcast/tls/chain.pem")
        #expect(tls.key.path == "/etc/ssl/private/dot.key")
        #expect(tls.key.mark == place(6, 8))
    }

    @Test("a policy needs only an id")
    func policyDefaults() throws {
        let policy = try #require(try parse(ProblemCase.base + ProblemCase.policy).policies.first)
        #expect(policy.strategy == .nearest)
        #expect(policy.answers == 1)
        #expect(policy.ttlMin == 10 && policy.ttlMax == 60)
        #expect(policy.tolerancePercent == 0 && policy.toleranceKilometres == 0)
        #expect(policy.usesClientSubnet)
        #expect(policy.whenAllDown == .open)
    }

    @Test("gives protocol options")
    func speech() throws {
        let yaml = """
            identity: {nsid: 0x00ff, hostname: fra1.example, version: "1.0", digest: true}
            cookies: {secrets: ["00112233445566778899AABBccddeeff", "ffffffffffffffffffffffffffffffff"], require: true}
            rate_limit: {responses_per_second: 20, exempt: [192.0.2.0/24, "2001:db8::1"], dry_run: true}
            """
        let configuration = try parse(ProblemCase.base + yaml)
        #expect(configuration.identity.nsid == [0, 255] && configuration.identity.hostname == "fra1.example")
        #expect(configuration.identity.version == "1.0" && configuration.identity.tellsDigest)
        #expect(configuration.cookies.isEnabled && configuration.cookies.isRequired)
        #expect(configuration.cookies.secrets.map(\.count) == [16, 16] && configuration.cookies.secrets[0][10] == 0xaa)
        let limit = configuration.rateLimit
        #expect(limit.responsesPerSecond == 20 && limit.slip == 2 && limit.isDryRun)
        #expect(limit.errorsPerSecond == 1_000)
        #expect(limit.v4PrefixLength == 24 && limit.v6PrefixLength == 56)
        #expect(limit.exempt == ["192.0.2.0/24", "2001:db8::1/128"].compactMap { IPPrefix($0) })
    }

    @Test("by default hides version and host name, makes its own cookie secrets, and limits only errors")
    func speechDefaults() throws {
        let configuration = try parse(ProblemCase.base)
        #expect(configuration.identity.nsid == nil && configuration.identity.hostname == nil)
        #expect(
            configuration.identity.version == nil && !configuration.identity.tellsDigest
                && configuration.rateLimit == .byDefault)
        #expect(RateLimitSettings.byDefault.responsesPerSecond == nil)
        let errors = try parse(ProblemCase.base + "rate_limit: {errors_per_second: 5}\n").rateLimit
        #expect(errors.responsesPerSecond == nil && errors.errorsPerSecond == 5)
        #expect(configuration.cookies.isEnabled && !configuration.cookies.isRequired)
        #expect(configuration.cookies.secrets.isEmpty && configuration.cookies.secretFile == nil)
        #expect(configuration.zones[0].allow.isEmpty && configuration.zones[0].deny.isEmpty)
        let file = try parse(ProblemCase.base + "cookies: {secret_file: keys/cookies}\n").cookies.secretFile
        #expect(file?.path == "/etc/nearcast/keys/cookies")
    }

    @Test("gives the networks of a zone's access list, and an address is a network")
    func zoneNetworks() throws {
        let yaml = """
            listen: ["192.0.2.53:53"]
            zones:
              - {origin: example.com, file: e.zone, allow: [192.0.2.0/24, "2001:db8::1"], deny: [192.0.2.7]}
            """
        let zone = try #require(try parse(yaml).zones.first)
        #expect(zone.allow == ["192.0.2.0/24", "2001:db8::1/128"].compactMap { IPPrefix($0) })
        #expect(zone.deny == [IPPrefix("192.0.2.7/32")])
    }

    @Test("mode off is a string, not a YAML 1.1 boolean, and needs no interface")
    func modeOff() throws {
        #expect(try parse(ProblemCase.base + "fast_path: {mode: off}\n").fastPath.mode == .off)
    }

    @Test(
        "the smallest and the largest staleness are allowed",
        arguments: [(5_000, 1), (3_600_000, 3_600)] as [(Int, UInt32)])
    func staleLimits(milliseconds: Int, ttl: UInt32) throws {
        let yaml = "fast_path: {mode: off, stale: {after: \(milliseconds)ms, ttl: \(ttl)}}\n"
        let stale = try parse(ProblemCase.base + yaml).fastPath.stale
        #expect(stale == StaleSettings(afterMilliseconds: milliseconds, ttl: ttl))
    }

    @Test("the fast path's mode and exit action have defaults")
    func fastPathDefaults() throws {
        let stale = try parse(ProblemCase.base + "fast_path: {mode: off, stale: {after: 60s, ttl: 5}}\n").fastPath.stale
        #expect(stale == StaleSettings(afterMilliseconds: 60_000, ttl: 5))
        let fastPath = try parse(ProblemCase.base + "fast_path: {interfaces: [eth0, eth1]}\n").fastPath
        #expect(fastPath.mode == .auto)
        #expect(fastPath.onExit == .detach)
        #expect(fastPath.answersCookies && fastPath.answersIdentifier && fastPath.answersTagged)
        #expect(fastPath.cutsReplies && fastPath.limitsRate)
        #expect(fastPath.passedPerSecond == nil && !fastPath.isPassedDryRun)
    }

    @Test("each feature of the fast path can be switched off, and fallthrough can be limited")
    func fastPathSwitches() throws {
        let keys = ["cookies", "nsid", "vlan", "truncation", "rate_limit"]
        for key in keys {
            let fastPath = try parse(ProblemCase.base + "fast_path: {interfaces: [eth0], \(key): false}\n").fastPath
            let switches = [
                fastPath.answersCookies, fastPath.answersIdentifier, fastPath.answersTagged, fastPath.cutsReplies,
                fastPath.limitsRate,
            ]
            #expect(switches == keys.map { $0 != key })
        }
        let text = "fast_path: {interfaces: [eth0], passed_per_second: 5000, passed_dry_run: true}\n"
        let fastPath = try parse(ProblemCase.base + text).fastPath
        #expect(fastPath.passedPerSecond == 5000 && fastPath.isPassedDryRun)
    }

    @Test("too many exempt networks are refused if the fast path limits replies", arguments: [16, 17])
    func exemptNetworks(count: Int) throws {
        let networks = (0..<count).map { "192.0.\($0).0/24" }.joined(separator: ", ")
        let limit = "rate_limit: {responses_per_second: 9, exempt: [\(networks)]}\n"
        let text = ProblemCase.base + limit + "fast_path: {interfaces: [eth0]}\n"
        if count == 16 {
            #expect(try parse(text).rateLimit.exempt.count == 16)
        } else {
            #expect(throws: ConfigurationError.self) { try parse(text) }
            for fastPath in ["{mode: off}", "{interfaces: [eth0], rate_limit: false}"] {
                #expect(try parse(ProblemCase.base + limit + "fast_path: \(fastPath)\n").rateLimit.exempt.count == 17)
            }
        }
    }

    @Test("the database is expected in the state folder")
    func databaseFollowsState() throws {
        let configuration = try parse(ProblemCase.base + "state: ./data\n")
        #expect(configuration.state.path == "/etc/nearcast/data")
        #expect(configuration.geo.database.path == "/etc/nearcast/data/city.mmdb")
    }
}
