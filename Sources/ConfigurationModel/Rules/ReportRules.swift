/// `health.reports` and `health.observers`.
struct ReportRules: EndpointRules {
    let context: RuleContext

    /// `nil` if it is absent, or after a problem.
    func reports(_ health: ServerHealthDeclaration, _ outer: Scope) -> ReportSettings? {
        guard let located = health.reports.located else { return nil }
        let (declared, scope) = (located.value, outer.nested("reports", located))
        let missingAfter = duration(declared.missingAfter, scope.name("missing_after"), .missingAfter)
        return ReportSettings(
            missingAfterMilliseconds: missingAfter ?? ReportSettings.standardMissingAfter,
            listener: listener(declared, scope))
    }

    private func listener(_ declared: ReportsDeclaration, _ scope: Scope) -> ReportSettings.Listener? {
        guard !declared.listen.isAbsent else {
            reportUnused(declared, scope)
            return nil
        }
        let listen = endpoints(declared.listen, .reportListen, in: scope)
        let tokens = requiredPath(declared.tokens, "tokens", in: scope, example: "/etc/nearcast/tokens")
        guard let isPlain = declared.plain.value(or: false) else { return nil }
        if isPlain {
            for (key, value) in [("certificate", declared.certificate), ("key", declared.key)] {
                guard let value = value.located else { continue }
                report(
                    value.location,
                    "\(scope.name(key)) and health.reports.plain are both given, expected one", remedy: "remove one")
            }
        }
        let certificate = isPlain ? nil : certificate(declared, scope)
        guard let tokens, !listen.isEmpty, isPlain || certificate != nil else { return nil }
        return ReportSettings.Listener(listen: listen, tokens: tokens, certificate: certificate, mark: scope.location)
    }

    /// Reports keys that only a listener uses.
    private func reportUnused(_ declared: ReportsDeclaration, _ scope: Scope) {
        for (key, location) in [
            ("tokens", declared.tokens.located?.location), ("certificate", declared.certificate.located?.location),
            ("key", declared.key.located?.location), ("plain", declared.plain.located?.location),
        ] {
            guard let location else { continue }
            report(
                location, "\(scope.name(key)) is given without health.reports.listen, which uses it",
                remedy: "add \(ListForm.reportListen.example), or remove it")
        }
    }

    private func certificate(
        _ declared: ReportsDeclaration, _ scope: Scope
    ) -> ReportSettings.Certificate? {
        let chain = certificate(declared.certificate, in: scope)
        let key = certificateKey(declared.key, in: scope)
        guard let chain, let key else { return nil }
        return ReportSettings.Certificate(chain: chain, key: key)
    }

    /// Ids of the other observers.
    func observers(_ health: ServerHealthDeclaration, _ scope: Scope) -> [String] {
        guard let elements = list(health.observers, "observers", .observers, in: scope) else { return [] }
        let name = scope.name("observers")
        if elements.count > 15 {
            report(
                elements[15].location, "\(name) has \(elements.count) entries, expected at most 15",
                remedy: "remove some")
        }
        var ids: [String] = []
        for element in elements {
            guard let line = line(element, "an entry of \(name)", Expected.word) else { continue }
            let id = line.value
            guard Spelling.isID(id), id != "own" else {
                report(
                    line.location, "\(name) has \(line.quoted), expected \(Expected.word), other than own",
                    remedy: "correct it")
                continue
            }
            guard !ids.contains(id) else {
                report(line.location, "\(name) has \(id) twice, expected each once", remedy: "remove one")
                continue
            }
            ids.append(id)
        }
        return ids
    }

    /// The report listener cannot share an endpoint with DNS.
    func requireOwnEndpoints(_ reports: ReportSettings?, _ listen: [ListenSettings], _ tls: TLSSettings?) {
        let taken = Set((listen + (tls?.listen ?? [])).map(\.endpoint))
        for entry in reports?.listener?.listen ?? [] where taken.contains(entry.endpoint) {
            report(
                entry.mark,
                "health.reports.listen has \(entry.endpoint), which listen or tls.listen has too, expected another port",
                remedy: "change one of them")
        }
    }
}
