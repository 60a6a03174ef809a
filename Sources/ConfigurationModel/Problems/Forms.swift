/// A whole number in a range.
package struct WholeNumber: Sendable {
    package let range: ClosedRange<Int>
    private let unit: String

    private init(_ range: ClosedRange<Int>, _ unit: String = "") {
        self.range = range
        self.unit = unit
    }

    /// The "expected" part of messages.
    package var expected: String {
        "a whole number from \(range.lowerBound) to \(range.upperBound)" + (unit.isEmpty ? "" : " \(unit)")
    }
}

extension WholeNumber {
    package static let port = WholeNumber(1...65_535)
    package static let asn = WholeNumber(1...Int(UInt32.max))

    // Streams.
    package static let connections = WholeNumber(1...1_000_000)
    package static let queriesPerConnection = WholeNumber(0...1_000_000)

    // The fast path.
    package static let staleTTL = WholeNumber(1...3_600, "seconds")
    package static let passedPerSecond = WholeNumber(1...1_000_000_000)

    // Rate limits.
    package static let repliesPerSecond = WholeNumber(1...65_535)
    package static let slip = WholeNumber(0...10)
    package static let v4PrefixLength = WholeNumber(0...32)
    package static let v6PrefixLength = WholeNumber(0...128)

    // Nodes, pools and regions.
    package static let nodeCapacity = WholeNumber(1...1_000_000_000)
    package static let minimum = WholeNumber(1...ServerConfiguration.maximumNodes)
    package static let weight = WholeNumber(1...65_535)
    package static let memberCapacity = WholeNumber(1...65_535)
    package static let bias = WholeNumber(-99...99)
    package static let threshold = WholeNumber(1...100, "percent")

    // Policies.
    package static let answers = WholeNumber(1...8)
    package static let ttl = WholeNumber(1...Int(Int32.max), "seconds")
    package static let tolerancePercent = WholeNumber(0...100)
    package static let toleranceKilometres = WholeNumber(0...20_000)
    package static let maximumDistance = WholeNumber(1...20_038, "kilometres")

    // Tailored names.
    package static let priority = WholeNumber(0...65_535)

    // Health.
    package static let results = WholeNumber(1...100)
    package static let brakePercent = WholeNumber(1...100, "percent")
    package static let shedAbove = WholeNumber(2...1_000, "percent")
    package static let backBelow = WholeNumber(1...999, "percent")
    package static let loadStep = WholeNumber(1...100, "percent")
    package static let redirects = WholeNumber(0...10)
    package static let certificateDays = WholeNumber(0...3_650, "days")

    package static let aliasTTL = WholeNumber(1...86_400, "seconds")

    // Round-trip times.
    package static let minimumSamples = WholeNumber(1...1_000_000)
    package static let margin = WholeNumber(0...1_000, "percent")
}

/// A duration in a range, written as a whole number with its unit: `500ms`, `10s`, `5m`, `24h`, `7d`.
package struct TimeSpan: Sendable {
    /// Milliseconds.
    package let range: ClosedRange<Int>

    private init(_ range: ClosedRange<Int>) {
        self.range = range
    }

    private static let units = [
        ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// The "expected" part of messages.
    package var expected: String {
        "a duration from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
    }

    /// The duration in milliseconds, in range or not. `nil` if `text` is not a duration.
    package static func milliseconds(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), let unit = units.first(where: { $0.0 == text[digits.endIndex...] })
        else { return nil }
        let (value, overflow) = number.multipliedReportingOverflow(by: unit.1)
        return overflow ? Int.max : value
    }

    /// The shortest form: `100ms`, `10s`, `10m`, `1h`.
    private static func text(_ milliseconds: Int) -> String {
        guard milliseconds > 0 else { return "0s" }
        let unit = units.last { milliseconds % $0.1 == 0 } ?? units[0]
        return "\(milliseconds / unit.1)\(unit.0)"
    }
}

extension TimeSpan {
    package static let idle = TimeSpan(100...600_000)
    package static let aliasStale = TimeSpan(60_000...604_800_000)
    package static let staleAfter = TimeSpan(5_000...3_600_000)
    package static let interval = TimeSpan(100...3_600_000)
    package static let timeout = TimeSpan(10...60_000)
    package static let slowStart = TimeSpan(0...3_600_000)
    package static let brakeHold = TimeSpan(1_000...3_600_000)
    package static let settle = TimeSpan(1_000...600_000)
    package static let missingAfter = TimeSpan(1_000...3_600_000)
    package static let every = TimeSpan(1_000...86_400_000)
}

/// A list of at least one element.
package struct ListForm: Sendable {
    /// The word for one element.
    package let element: String
    /// An example of the list.
    package let example: String

    package init(of element: String, example: String) {
        self.element = element
        self.example = example
    }
}

extension ListForm {
    package static let listen = ListForm(of: "endpoint", example: #"listen: ["192.0.2.53:53", "[2001:db8::53]:53"]"#)
    package static let tlsListen = ListForm(of: "endpoint", example: #"listen: ["192.0.2.53", "[2001:db8::53]:853"]"#)
    package static let reportListen = ListForm(of: "endpoint", example: #"listen: ["192.0.2.53:8453"]"#)
    package static let metricsListen = ListForm(of: "endpoint", example: #"listen: ["192.0.2.53:9953"]"#)
    package static let lookupServers = ListForm(of: "endpoint", example: #"servers: ["192.0.2.1", "[2001:db8::1]:53"]"#)
    package static let interfaces = ListForm(of: "interface", example: "interfaces: [eth0]")
    package static let secrets = ListForm(
        of: "secret", example: #"secrets: ["00112233445566778899aabbccddeeff"]"#)
    package static let overrides = ListForm(
        of: "override", example: "overrides: [{prefix: 10.0.0.0/8, latitude: 50.11, longitude: 8.68, country: DE}]")
    package static let asns = ListForm(of: "autonomous system", example: "asns: [{asn: 64500, label: partner}]")

    package static let hooks = ListForm(of: "hook", example: "hooks: [{run: [/usr/local/bin/tell], on: [down]}]")
    package static let hookStates = ListForm(of: "state", example: "on: [up, down]")
    package static let headers = ListForm(of: "field", example: #"headers: ["X-Probe: yes"]"#)
    package static let run = ListForm(of: "text", example: "run: [/usr/local/bin/check-node, --quick]")

    package static let addresses = ListForm(
        of: "IP address", example: #"addresses: [198.51.100.10, "2001:db8:10::1"]"#)
    package static let overlay = ListForm(of: "IP address", example: #"overlay: [10.1.0.1, "fd00::1"]"#)
    package static let texts = ListForm(of: "text", example: "texts: [region=eu]")
    package static let members = ListForm(of: "node", example: "nodes: [fra1, nyc1]")
    package static let innerPools = ListForm(of: "pool", example: "pools: [europe, america]")
    package static let regionNodes = ListForm(of: "node", example: "nodes: [fra1, ams1]")

    package static let latency = ListForm(of: "file", example: "latency: [latency.csv]")
    package static let allDownAddresses = ListForm(of: "IP address", example: "addresses: [192.0.2.1]")
    package static let rules = ListForm(of: "rule", example: "rules: [{countries: [DE], pin: [fra1]}]")
    package static let countries = ListForm(of: "entry", example: "countries: [DE, AT]")
    package static let regions = ListForm(of: "entry", example: "regions: [US-California]")
    package static let continents = ListForm(of: "entry", example: "continents: [EU]")
    package static let ruleASNs = ListForm(of: "entry", example: "asns: [64500]")
    package static let labels = ListForm(of: "entry", example: "labels: [office]")
    package static let alpn = ListForm(of: "ALPN id", example: "alpn: [h2, h3]")

    package static let lints = ListForm(of: "id", example: "lint: {off: [unused-node]}")
    package static let include = ListForm(of: "path", example: "include: conf.d/*.yaml")

    package static let checks = ListForm(of: "check", example: "checks: [{type: tcp, port: 443}]")
    package static let observers = ListForm(of: "observer", example: "observers: [ams, nyc]")
    package static let ports = ListForm(of: "port", example: "ports: [443]")

    /// Networks at `key`.
    package static func networks(_ key: String) -> ListForm {
        ListForm(of: "network", example: "\(key): [192.0.2.0/24, \"2001:db8::/32\"]")
    }

    /// Nodes of a rule with `action`.
    package static func ruleNodes(_ action: String) -> ListForm {
        ListForm(of: "node", example: "\(action): [fra1] or \(action): all")
    }
}

/// The "expected" parts of messages about text.
package enum Expected {
    package static let name = "a name"
    package static let path = "a path"
    package static let lint = "the id of a warning"
    package static let text = "text"
    package static let day = "a day from 1970-01-01 on"
    package static let endpoint = "an address and a port"
    package static let address = "an IPv4 or IPv6 address"
    package static let network = "a network"
    package static let domainName = "a domain name"
    package static let country = "a two-letter country code (ISO 3166-1)"
    package static let region = "the name of a region"
    package static let city = "the name of a city"
    package static let continent = Spelling.alternatives(CountryCodes.continents)
    package static let word = "1 to 63 letters, digits, dots, hyphens or underscores"
    package static let interface = #"1 to 15 bytes without spaces, "/" or ":""#
    package static let nsid = "1 to 128 bytes, as text or as 0x and hexadecimal digits"
    package static let characterString = "text of at most 255 bytes"
    package static let secret = "32 hexadecimal digits"
    package static let fraction = "a number from 0 to 1 with at most 3 decimals"
    package static let ruleRegion = "a country's code, a hyphen and the region as the city database names it"
    package static let allDown = "open, refuse, {fallback: POOL} or {addresses: [ADDRESS]}"
    package static let alpn = "an ALPN id of at most 255 bytes"
    package static let nodeText = "text of at most 1000 bytes"
    package static let recordType = "a record type"
    package static let header = "a field such as X-Probe: yes"
    package static let jsonPath = "a path such as $.status or $.checks[0].state"
    package static let program = "the absolute path of a program, then its arguments"
    package static let codes = "a status code or a range of them, from 100 to 599"
    package static let host = "a host's name or an address"

    /// The id of an entry of `section`.
    package static func reference(to section: Section) -> String { "the id of a \(section.word)" }

    package static func degrees(upTo limit: Int32) -> String { "decimal degrees from -\(limit) to \(limit)" }

    package static func oneOf<Choice: RawRepresentable<String> & CaseIterable>(_ type: Choice.Type) -> String {
        Spelling.alternatives(Choice.allCases.map(\.rawValue))
    }
}
