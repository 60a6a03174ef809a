import IPNetworks

/// `fast_path`.
struct FastPathRules: ValueRules {
    let context: RuleContext

    /// The fast path answers only at the addresses that `listen` names.
    func requireAddresses(_ listen: [ListenSettings], _ fastPath: FastPathSettings?) {
        guard let fastPath, fastPath.mode != .off else { return }
        for entry in listen where entry.endpoint.address == .v4(0) || entry.endpoint.address == .v6(0) {
            report(
                entry.mark,
                "listen has \(entry.endpoint), which the fast path cannot serve, expected an address of this host",
                remedy: "name each address, or set fast_path.mode to off")
        }
    }

    func fastPath(_ declaration: ConfigurationDeclaration, _ root: Scope) -> FastPathSettings? {
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
    private func stale(_ fastPath: FastPathDeclaration, _ outer: Scope) -> StaleSettings?? {
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

    private func interfaces(
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
                    line.location,
                    "\(name) has \(line.value) twice, first at \(first.mark.reference(from: line.location))",
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
