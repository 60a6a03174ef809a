import Yams

/// The keys about streams: `tcp` and `tls`.
extension ConfigurationReader {
    mutating func tcp(_ root: Fields) -> TCPSettings? {
        let standard = TCPSettings.standard
        guard let node = root["tcp"] else { return standard }
        let known = ["idle", "connections", "per_client", "queries"]
        guard let fields = fields(node, name: "tcp", prefix: "tcp.", owner: "", known: known) else { return nil }
        var idle: Int? = standard.idleMilliseconds
        if let node = fields["idle"] { idle = duration(node, name: fields.name("idle"), in: 100...600_000) }
        let connections = count("connections", in: fields, range: 1...1_000_000, default: standard.connections)
        let perClient = count("per_client", in: fields, range: 1...1_000_000, default: standard.connectionsPerClient)
        let queries = count("queries", in: fields, range: 0...1_000_000, default: standard.queriesPerConnection)
        guard let idle, let connections, let perClient, let queries else { return nil }
        return TCPSettings(
            idleMilliseconds: idle, connections: connections, connectionsPerClient: perClient,
            queriesPerConnection: queries)
    }

    private mutating func count(
        _ key: String, in fields: Fields, range: ClosedRange<Int>, default fallback: Int
    ) -> Int? {
        guard let node = fields[key] else { return fallback }
        return integer(node, name: fields.name(key), in: range)
    }

    /// Reads `tls`; the outer `nil` only after a problem, the inner when it is absent.
    mutating func tls(_ root: Fields, listen: [ListenSettings]) -> TLSSettings?? {
        guard let node = root["tls"] else { return .some(nil) }
        let known = ["listen", "certificate", "key"]
        guard let fields = fields(node, name: "tls", prefix: "tls.", owner: "", known: known) else { return nil }
        let example = #"listen: ["192.0.2.53", "[2001:db8::53]:853"]"#
        var endpoints: [ListenSettings] = []
        if let node = required("listen", in: fields, example: example) {
            endpoints = self.endpoints(
                node, name: "tls.listen", example: example, defaultPort: TLSSettings.defaultPort)
        }
        for entry in endpoints where listen.contains(where: { $0.endpoint == entry.endpoint }) {
            report(
                entry.mark,
                "tls.listen has \(entry.endpoint), which listen has too, expected another port: "
                    + "leave the port out for \(TLSSettings.defaultPort)")
        }
        let certificate = requiredPath("certificate", in: fields)
        let key = requiredPath("key", in: fields)
        guard !endpoints.isEmpty, let certificate, let key else { return nil }
        return TLSSettings(listen: endpoints, certificate: certificate, key: key, mark: fields.mark)
    }

    mutating func requiredPath(_ key: String, in fields: Fields, file: String? = nil) -> PathSetting? {
        guard let node = required(key, in: fields, example: "\(key): /etc/nearcast/\(file ?? "\(key).pem")"),
            let text = text(node, name: fields.name(key), expected: "a path")
        else { return nil }
        return PathSetting(path: absolute(text), mark: node.place)
    }
}

/// Durations.
extension ConfigurationReader {
    private static let units = [("ms", 1), ("s", 1_000), ("m", 60_000)]

    /// Reads a whole number with its unit, as `10s`; in milliseconds.
    mutating func duration(_ node: Node, name: String, in range: ClosedRange<Int>) -> Int? {
        let expected =
            "a duration from \(Self.text(ofMilliseconds: range.lowerBound)) to "
            + "\(Self.text(ofMilliseconds: range.upperBound))"
        guard let text = text(node, name: name, expected: expected) else { return nil }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), let unit = Self.units.first(where: { $0.0 == text[digits.endIndex...] })
        else {
            let remedy = digits == text && !text.isEmpty ? "write \(text)s for seconds" : "write it like 10s or 500ms"
            report(node.place, "\(name) is \(node.kind), expected \(expected): \(remedy)")
            return nil
        }
        let (value, overflow) = number.multipliedReportingOverflow(by: unit.1)
        guard !overflow, range.contains(value) else {
            report(node.place, "\(name) is \(node.kind), expected \(expected): change it")
            return nil
        }
        return value
    }

    /// The shortest form: `100ms`, `10s`, `10m`.
    private static func text(ofMilliseconds value: Int) -> String {
        let unit = units.last { value % $0.1 == 0 } ?? units[0]
        return "\(value / unit.1)\(unit.0)"
    }
}
