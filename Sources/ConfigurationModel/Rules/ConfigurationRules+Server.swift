import IPNetworks

/// `listen`, `control` and `fast_path`.
extension ConfigurationRules {
    mutating func listen(_ declaration: ConfigurationDeclaration, _ root: Scope) -> [ListenSettings] {
        _ = required(declaration.listen, "listen", in: root, example: ListForm.listen.example)
        return endpoints(declaration.listen, .listen, in: root)
    }

    /// A list of endpoints at `listen` without duplicates. If there is a `defaultPort`, an address alone is enough.
    mutating func endpoints(
        _ declared: DeclaredList<String>, _ form: ListForm, in scope: Scope, defaultPort: UInt16? = nil
    ) -> [ListenSettings] {
        guard let elements = list(declared, "listen", form, in: scope) else { return [] }
        let name = scope.name("listen")
        limit(elements, to: ServerConfiguration.maximumListenEndpoints, name, of: "endpoints")
        var settings: [ListenSettings] = []
        for element in elements {
            guard let endpoint = endpoint(element, name, defaultPort) else { continue }
            if let first = settings.first(where: { $0.endpoint == endpoint }) {
                report(
                    element.location, "\(name) has \(endpoint) twice, first at \(first.mark.reference)",
                    remedy: "remove one")
                continue
            }
            settings.append(ListenSettings(endpoint: endpoint, mark: element.location))
        }
        return settings
    }

    private mutating func endpoint(
        _ element: Located<String>, _ name: String, _ defaultPort: UInt16?
    ) -> SocketEndpoint? {
        guard let line = line(element, "an entry of \(name)", Expected.endpoint) else { return nil }
        let text = line.value
        if let endpoint = SocketEndpoint(text), endpoint.port > 0 { return endpoint }
        let found = "\(name) has \(line.quoted)"
        if let address = IPAddress(text) {
            if let defaultPort { return SocketEndpoint(address: address, port: defaultPort) }
            report(
                line.location, "\(found), expected \(Expected.endpoint)",
                remedy: "write \"\(SocketEndpoint(address: address, port: 53))\"")
        } else if let colon = text.lastIndex(of: ":"), SocketEndpoint(text[..<colon] + ":53") != nil {
            report(line.location, "\(found), expected a port from 1 to 65535", remedy: "correct the port")
        } else {
            report(
                line.location, "\(found), expected \(Expected.endpoint)",
                remedy: #"write it like "192.0.2.53:53" or "[2001:db8::53]:53""#)
        }
        return nil
    }

    /// The fast path answers only at the addresses that `listen` names.
    mutating func requireAddresses(_ listen: [ListenSettings], _ fastPath: FastPathSettings?) {
        guard let fastPath, fastPath.mode != .off else { return }
        for entry in listen where entry.endpoint.address == .v4(0) || entry.endpoint.address == .v6(0) {
            report(
                entry.mark,
                "listen has \(entry.endpoint), which the fast path cannot serve, expected an address of this host",
                remedy: "name each address, or set fast_path.mode to off")
        }
    }

    mutating func control(_ declaration: ConfigurationDeclaration, _ root: Scope) -> PathSetting? {
        let fallback = "/run/nearcast/control.sock"
        guard let setting = path(declaration.control, "control", in: root, default: fallback) else { return nil }
        // A socket address has room for 107 bytes and a terminator (unix(7)).
        guard setting.path.utf8.count <= 107 else {
            report(
                setting.mark, "control is a path of \(setting.path.utf8.count) bytes, expected at most 107",
                remedy: "choose a shorter path")
            return nil
        }
        return setting
    }

    // MARK: - The fast path

    mutating func fastPath(_ declaration: ConfigurationDeclaration, _ root: Scope) -> FastPathSettings? {
        guard !declaration.fastPath.isAbsent else {
            return FastPathSettings(
                interfaces: [], mode: .off, onExit: .detach, stale: nil, answersCookies: true, answersIdentifier: true,
                answersTagged: true, cutsReplies: true, limitsRate: true, passedPerSecond: nil, isPassedDryRun: false,
                mark: root.location)
        }
        guard let located = declaration.fastPath.located else { return nil }
        let (declared, scope) = (located.value, root.nested("fast_path", located))
        let mode = choice(declared.mode, scope.name("mode"), default: FastPathSettings.Mode.auto)
        let onExit = choice(declared.onExit, scope.name("on_exit"), default: FastPathSettings.ExitAction.detach)
        let interfaces = interfaces(declared, isNeeded: mode != .off, scope)
        let passed = integer(declared.passedPerSecond, scope.name("passed_per_second"), .passedPerSecond)
        guard let stale = stale(declared, scope), let mode, let onExit, let cookies = declared.cookies.value(or: true),
            let nsid = declared.nsid.value(or: true), let vlan = declared.vlan.value(or: true),
            let truncation = declared.truncation.value(or: true),
            let rateLimit = declared.rateLimit.value(or: true),
            let dryRun = declared.passedDryRun.value(or: false)
        else { return nil }
        return FastPathSettings(
            interfaces: interfaces, mode: mode, onExit: onExit, stale: stale, answersCookies: cookies,
            answersIdentifier: nsid, answersTagged: vlan, cutsReplies: truncation, limitsRate: rateLimit,
            passedPerSecond: passed, isPassedDryRun: dryRun, mark: scope.location)
    }

    /// The outer `nil` only after a problem, the inner one if the key is absent.
    private mutating func stale(_ fastPath: FastPathDeclaration, _ outer: Scope) -> StaleSettings?? {
        guard !fastPath.stale.isAbsent else { return .some(nil) }
        guard let located = fastPath.stale.located else { return nil }
        let scope = outer.nested("stale", located)
        _ = required(located.value.after, "after", in: scope, example: "after: 60s")
        _ = required(located.value.ttl, "ttl", in: scope, example: "ttl: 5")
        let after = duration(located.value.after, scope.name("after"), .staleAfter)
        let ttl = integer(located.value.ttl, scope.name("ttl"), .staleTTL)
        guard let after, let ttl else { return nil }
        return StaleSettings(afterMilliseconds: after, ttl: UInt32(ttl))
    }

    private mutating func interfaces(
        _ fastPath: FastPathDeclaration, isNeeded: Bool, _ scope: Scope
    ) -> [InterfaceSettings] {
        if isNeeded {
            let example = "\(ListForm.interfaces.example), or mode: off"
            _ = required(fastPath.interfaces, "interfaces", in: scope, example: example)
        }
        let name = scope.name("interfaces")
        guard let elements = list(fastPath.interfaces, "interfaces", .interfaces, in: scope) else { return [] }
        var settings: [InterfaceSettings] = []
        for element in elements {
            guard let line = line(element, "an entry of \(name)", Expected.interface) else { continue }
            guard Self.isInterfaceName(line.value) else {
                report(
                    line.location, "\(name) has \(line.quoted), expected \(Expected.interface)",
                    remedy: "use a name that `ip link` shows")
                continue
            }
            if let first = settings.first(where: { $0.name == line.value }) {
                report(
                    line.location, "\(name) has \(line.value) twice, first at \(first.mark.reference)",
                    remedy: "remove one")
                continue
            }
            settings.append(InterfaceSettings(name: line.value, mark: line.location))
        }
        return settings
    }

    /// The kernel's rule (dev_valid_name in net/core/dev.c).
    private static func isInterfaceName(_ text: String) -> Bool {
        text.utf8.count < 16 && text != "." && text != ".."
            && !text.contains { $0 == "/" || $0 == ":" || $0.isWhitespace }
    }
}
