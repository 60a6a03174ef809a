import IPNetworks
import Yams

/// The keys about the server itself: `listen`, `control`, `state` and `fast_path`.
extension ConfigurationReader {
    static let listenExample = #"listen: ["192.0.2.53:53", "[2001:db8::53]:53"]"#

    mutating func listen(_ root: Fields) -> [ListenSettings] {
        guard let node = required("listen", in: root, example: Self.listenExample) else { return [] }
        return endpoints(node, name: "listen", example: Self.listenExample)
    }

    /// Reads a list of endpoints, no two alike. Where there is a `defaultPort`, an address alone will do.
    mutating func endpoints(_ node: Node, name: String, example: String, defaultPort: UInt16? = nil) -> [ListenSettings]
    {
        guard let elements = list(node, name: name, of: "endpoint", example: example) else { return [] }
        let limit = ServerConfiguration.maximumListenEndpoints
        if elements.count > limit {
            report(
                elements[limit].place,
                "\(name) has \(elements.count) endpoints, expected at most \(limit): remove \(elements.count - limit)")
        }
        var settings: [ListenSettings] = []
        for element in elements {
            guard let endpoint = endpoint(element, name: name, defaultPort: defaultPort) else { continue }
            if let first = settings.first(where: { $0.endpoint == endpoint }) {
                report(element.place, "\(name) has \(endpoint) twice, first at line \(first.mark.line): remove one")
                continue
            }
            settings.append(ListenSettings(endpoint: endpoint, mark: element.place))
        }
        return settings
    }

    /// The fast path answers at the addresses it is told, and knows no others of the host.
    mutating func requireAddresses(_ listen: [ListenSettings], _ fastPath: FastPathSettings?) {
        guard let fastPath, fastPath.mode != .off else { return }
        for entry in listen where entry.endpoint.address == .v4(0) || entry.endpoint.address == .v6(0) {
            report(
                entry.mark,
                "listen has \(entry.endpoint), which the fast path cannot answer at, expected an address of this host: "
                    + "name each address, or set fast_path.mode to off")
        }
    }

    private mutating func endpoint(_ node: Node, name: String, defaultPort: UInt16?) -> SocketEndpoint? {
        let expected = "an address and a port"
        guard let text = text(node, name: "an entry of \(name)", expected: expected) else { return nil }
        if let endpoint = SocketEndpoint(text), endpoint.port > 0 { return endpoint }
        if let defaultPort, let address = IPAddress(text) { return SocketEndpoint(address: address, port: defaultPort) }
        let found = "\(name) has \(Spelling.quoted(text))"
        if let address = IPAddress(text) {
            let remedy = "write \"\(SocketEndpoint(address: address, port: 53))\""
            report(node.place, "\(found), expected \(expected): \(remedy)")
        } else if let colon = text.lastIndex(of: ":"), SocketEndpoint(text[..<colon] + ":53") != nil {
            report(node.place, "\(found), expected a port from 1 to 65535: correct the port")
        } else {
            report(
                node.place,
                #"\#(found), expected \#(expected): write it like "192.0.2.53:53" or "[2001:db8::53]:53""#)
        }
        return nil
    }

    /// Reads the path at `key`, `fallback` when the key is absent.
    mutating func path(_ key: String, in fields: Fields, default fallback: String) -> PathSetting? {
        guard let node = fields[key] else { return PathSetting(path: absolute(fallback), mark: fields.mark) }
        guard let text = text(node, name: fields.name(key), expected: "a path") else { return nil }
        return PathSetting(path: absolute(text), mark: node.place)
    }

    /// `path` itself when it starts with a slash, else below the configuration file's folder.
    func absolute(_ path: String) -> String {
        if path.utf8.first == UInt8(ascii: "/") { return path }
        let relative = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return baseFolder.hasSuffix("/") ? baseFolder + relative : "\(baseFolder)/\(relative)"
    }

    mutating func watch(_ root: Fields) -> Bool? {
        guard let node = root["watch"] else { return true }
        return boolean(node, name: "watch")
    }

    mutating func control(_ root: Fields) -> PathSetting? {
        guard let setting = path("control", in: root, default: "/run/nearcast/control.sock") else { return nil }
        // A socket's address has room for 107 bytes and a terminator (unix(7)).
        guard setting.path.utf8.count <= 107 else {
            report(
                setting.mark,
                "control is a path of \(setting.path.utf8.count) bytes, expected at most 107: choose a shorter path")
            return nil
        }
        return setting
    }

    mutating func fastPath(_ root: Fields) -> FastPathSettings? {
        guard let node = root["fast_path"] else {
            return FastPathSettings(
                interfaces: [], mode: .off, onExit: .detach, stale: nil, answersCookies: true, answersIdentifier: true,
                answersTagged: true, cutsReplies: true, limitsRate: true, passedPerSecond: nil, isPassedDryRun: false,
                mark: root.mark)
        }
        let known = [
            "interfaces", "mode", "on_exit", "stale", "cookies", "nsid", "vlan", "truncation", "rate_limit",
            "passed_per_second",
            "passed_dry_run",
        ]
        guard let fields = fields(node, name: "fast_path", prefix: "fast_path.", owner: "", known: known)
        else { return nil }
        var mode: FastPathSettings.Mode? = .auto
        if let node = fields["mode"] { mode = choice(node, name: fields.name("mode")) }
        var onExit: FastPathSettings.ExitAction? = .detach
        if let node = fields["on_exit"] { onExit = choice(node, name: fields.name("on_exit")) }
        let interfaces = interfaces(fields, isNeeded: mode != .off)
        let cookies = flag("cookies", in: fields, default: true)
        let nsid = flag("nsid", in: fields, default: true)
        let vlan = flag("vlan", in: fields, default: true)
        let truncation = flag("truncation", in: fields, default: true)
        let rateLimit = flag("rate_limit", in: fields, default: true)
        let passed = fields["passed_per_second"].map {
            integer($0, name: fields.name("passed_per_second"), in: 1...1_000_000_000)
        }
        let dryRun = flag("passed_dry_run", in: fields, default: false)
        guard let mode, let onExit, let cookies, let nsid, let vlan, let truncation, let rateLimit, let dryRun,
            let stale = stale(fields)
        else { return nil }
        return FastPathSettings(
            interfaces: interfaces, mode: mode, onExit: onExit, stale: stale, answersCookies: cookies,
            answersIdentifier: nsid,
            answersTagged: vlan, cutsReplies: truncation, limitsRate: rateLimit, passedPerSecond: passed ?? nil,
            isPassedDryRun: dryRun, mark: fields.mark)
    }

    /// Reads `stale`; the outer `nil` only after a problem, the inner when it is absent.
    private mutating func stale(_ outer: Fields) -> StaleSettings?? {
        guard let node = outer["stale"] else { return .some(nil) }
        let name = outer.name("stale")
        guard let fields = fields(node, name: name, prefix: "\(name).", owner: "", known: ["after", "ttl"])
        else { return nil }
        let after = required("after", in: fields, example: "after: 60s")
            .flatMap { duration($0, name: fields.name("after"), in: 5_000...3_600_000) }
        let ttl = required("ttl", in: fields, example: "ttl: 5")
            .flatMap { integer($0, name: fields.name("ttl"), in: 1...3_600, unit: "seconds") }
        guard let after, let ttl else { return nil }
        return StaleSettings(afterMilliseconds: after, ttl: UInt32(ttl))
    }

    private mutating func interfaces(_ fields: Fields, isNeeded: Bool) -> [InterfaceSettings] {
        let example = "interfaces: [eth0]"
        let name = fields.name("interfaces")
        if !isNeeded, fields["interfaces"] == nil { return [] }
        guard let node = required("interfaces", in: fields, example: "\(example), or mode: off"),
            let elements = list(node, name: name, of: "interface", example: example)
        else { return [] }
        var settings: [InterfaceSettings] = []
        for element in elements {
            let expected = #"1 to 15 bytes without spaces, "/" or ":""#
            guard let text = text(element, name: "an entry of \(name)", expected: expected) else { continue }
            guard Self.isInterfaceName(text) else {
                report(
                    element.place, "\(name) has \(element.kind), expected \(expected): use a name that `ip link` shows")
                continue
            }
            if let first = settings.first(where: { $0.name == text }) {
                report(element.place, "\(name) has \(text) twice, first at line \(first.mark.line): remove one")
                continue
            }
            settings.append(InterfaceSettings(name: text, mark: element.place))
        }
        return settings
    }

    /// The kernel's rule (dev_valid_name in net/core/dev.c).
    private static func isInterfaceName(_ text: String) -> Bool {
        text.utf8.count < 16 && text != "." && text != ".."
            && !text.contains { $0 == "/" || $0 == ":" || $0.isWhitespace }
    }
}
