import DNSWire
import Health
import IPNetworks

/// `checks` of a `health`.
struct CheckRules: NetworkRules {
    let context: RuleContext

    func checks(_ declared: DeclaredList<CheckDeclaration>, _ scope: Scope) -> [HealthDraft.CheckDraft]? {
        guard !declared.isAbsent else { return nil }
        guard let list = declared.located else { return [] }
        let name = scope.name("checks")
        requireElements(list.value, at: list.location, name, .checks)
        let elements = list.value.compactMap(\.located)
        if elements.count > 16 {
            report(
                elements[16].location, "\(name) has \(elements.count) checks, expected at most 16",
                remedy: "remove some")
        }
        return list.value.enumerated().compactMap { index, element in
            element.located.flatMap { element in
                check(element.value, Scope(scope.subject.check(index + 1), at: element.location))
            }
        }
    }

    private func check(_ declared: CheckDeclaration, _ scope: Scope) -> HealthDraft.CheckDraft? {
        _ = required(declared.type, "type", in: scope, example: "type: tcp")
        guard let type = choice(declared.type, scope.name("type"), of: CheckType.self) else { return nil }
        let known = type.keys
        for case (let key, let location?) in declared.given where !known.contains(key) {
            report(UnknownKey.problem(at: location, text: key, in: scope.owner, known: known))
        }
        let (target, source) = (address(declared.address, "address", scope), address(declared.source, "source", scope))
        let pace = HealthDraft.Pace(
            interval: type == .report
                ? duration(declared.missingAfter, scope.name("missing_after"), .missingAfter)
                : duration(declared.interval, scope.name("interval"), .interval),
            timeout: duration(declared.timeout, scope.name("timeout"), .timeout),
            fall: integer(declared.fall, scope.name("fall"), .results),
            rise: integer(declared.rise, scope.name("rise"), .results))
        guard let probe = probe(type, declared, scope) else { return nil }
        return HealthDraft.CheckDraft(
            probe: probe, target: target, source: source, pace: pace, mark: scope.location)
    }

    private func address(_ declared: Declared<String>, _ key: String, _ scope: Scope) -> IPAddress? {
        declared.located.flatMap { address($0, scope.name(key), owner: scope.owner) }
    }

    // MARK: - Probes

    /// `nil` only after a problem.
    private func probe(_ type: CheckType, _ declared: CheckDeclaration, _ scope: Scope) -> Check.Probe? {
        switch type {
        case .tcp:
            let (send, expect) = (anyText(declared.send, "send", scope), anyText(declared.expect, "expect", scope))
            let (tls, host) = (tls(declared, scope, isUsed: declared.tls), host(declared, scope))
            guard let port = port(declared, scope, default: nil), let send, let expect, let tls, let host else {
                return nil
            }
            return .tcp(TCPProbe(port: port, send: send, expect: expect, tls: tls, host: host))
        case .http, .https: return http(type, declared, scope)
        case .dns: return dns(declared, scope)
        case .grpc: return grpc(declared, scope)
        case .command:
            return CommandRules(context: context).command(run: declared.run, user: declared.user, scope)
                .map { .command($0) }
        case .icmp: return .icmp
        case .report: return .report
        case .certificate:
            let days = integer(declared.days, scope.name("days"), .certificateDays, default: 0)
            let (tls, host) = (tls(declared, scope), host(declared, scope))
            guard let port = port(declared, scope, default: 443), let days, let tls, let host else { return nil }
            return .certificate(CertificateProbe(port: port, host: host, days: days, tls: tls))
        }
    }

    private func http(
        _ type: CheckType, _ declared: CheckDeclaration, _ scope: Scope
    ) -> Check.Probe? {
        let (path, body) = (path(declared, scope), anyText(declared.body, "body", scope))
        let (codes, tls, host) = (codes(declared, scope), tls(declared, scope), host(declared, scope))
        let redirects = redirects(declared, scope)
        let (fields, json) = (fields(declared, scope), json(declared, scope))
        guard let fields, let json else { return nil }
        guard let port = port(declared, scope, default: type == .http ? 80 : 443), let path, let body, let codes,
            let tls, let host
        else { return nil }
        return .http(
            HTTPProbe(
                port: port, path: path, host: host, codes: codes, body: body, fields: fields, json: json,
                tls: type == .https ? tls : nil, redirects: redirects))
    }

    /// Reads `Name: value`. `nil` only after a problem.
    private func fields(_ declared: CheckDeclaration, _ scope: Scope) -> [HTTPField]? {
        guard !declared.headers.isAbsent else { return [] }
        guard let elements = list(declared.headers, "headers", .headers, in: scope) else { return nil }
        var fields: [HTTPField] = []
        for element in elements {
            let name = "an entry of \(scope.name("headers"))"
            guard let line = line(element, name, Expected.header) else { return nil }
            let parts = line.value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let token = parts[0].utf8.allSatisfy { Self.tokenBytes.contains($0) } && !parts[0].isEmpty
            guard parts.count == 2, token, parts[1].utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
                report(
                    line.location, "\(name) is \(line.quoted), expected \(Expected.header)",
                    remedy: "write it like \"X-Probe: yes\"")
                return nil
            }
            let own = ["host", "connection", "user-agent", "accept", "content-length", "transfer-encoding"]
            if own.contains(parts[0].lowercased()) {
                report(
                    line.location, "\(name) sets \(parts[0]), which every probe sets by itself",
                    remedy: parts[0].lowercased() == "host" ? "use host" : "remove it")
                return nil
            }
            let value = parts[1].drop { $0 == " " }
            fields.append(HTTPField(name: String(parts[0]), value: String(value)))
        }
        return fields
    }

    /// RFC 9110, section 5.6.2.
    private static let tokenBytes = Set(
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

    /// The outer `nil` only after a problem.
    private func json(_ declared: CheckDeclaration, _ scope: Scope) -> JSONAssertion?? {
        switch (declared.jsonPath.isAbsent, declared.jsonValue.isAbsent) {
        case (true, true): return .some(nil)
        case (false, false): break
        case (let isPathAbsent, _):
            let missing = isPathAbsent ? "json_path" : "json_value"
            report(
                scope.location, "\(scope.owner) has json_path or json_value, expected both",
                remedy: isPathAbsent ? "add json_path: $.status" : "add \(missing): ok")
            return nil
        }
        guard let path = line(declared.jsonPath, scope.name("json_path"), Expected.jsonPath),
            let value = line(declared.jsonValue, scope.name("json_value"), Expected.text)
        else { return nil }
        guard let assertion = JSONAssertion(path: path.value, value: value.value) else {
            report(
                path.location, "\(scope.name("json_path")) is \(path.quoted), expected \(Expected.jsonPath)",
                remedy: "write it like $.checks[0].status")
            return nil
        }
        return assertion
    }

    // MARK: - gRPC

    private func grpc(_ declared: CheckDeclaration, _ scope: Scope) -> Check.Probe? {
        let (tls, host) = (tls(declared, scope, isUsed: declared.tls), host(declared, scope))
        var service = ""
        if !declared.service.isAbsent {
            guard let line = line(declared.service, scope.name("service"), Expected.text) else { return nil }
            guard line.value.utf8.count <= 127 else {
                report(
                    line.location, "\(scope.name("service")) has \(line.value.utf8.count) bytes, expected at most 127",
                    remedy: "shorten it")
                return nil
            }
            service = line.value
        }
        guard let port = port(declared, scope, default: nil), let tls, let host else { return nil }
        return .grpc(GRPCProbe(port: port, service: service, host: host, tls: tls))
    }

    /// `nil` only after a problem.
    private func path(_ declared: CheckDeclaration, _ scope: Scope) -> String? {
        guard !declared.path.isAbsent else { return "/" }
        let name = scope.name("path")
        guard let line = line(declared.path, name, Expected.path) else { return nil }
        guard line.value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), line.value.hasPrefix("/") else {
            report(
                line.location, "\(name) is \(line.quoted), expected ASCII without spaces that begins with a slash",
                remedy: "correct it")
            return nil
        }
        return line.value
    }

    /// Reads `200` or `200-399`. `nil` only after a problem.
    private func codes(_ declared: CheckDeclaration, _ scope: Scope) -> ClosedRange<Int>? {
        guard !declared.codes.isAbsent else { return 200...299 }
        let name = scope.name("codes")
        guard let line = line(declared.codes, name, Expected.codes) else { return nil }
        let ends = line.value.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        if ends.count <= 2, let first = ends.first, let last = ends.last, first <= last, first >= 100, last <= 599 {
            return first...last
        }
        report(
            line.location, "\(name) is \(line.quoted), expected \(Expected.codes)", remedy: "write it like 200-399")
        return nil
    }

    private func redirects(_ declared: CheckDeclaration, _ scope: Scope) -> HTTPRedirects {
        let limit = integer(declared.redirects, scope.name("redirects"), .redirects) ?? 0
        if let hosts = declared.redirectHosts.located, declared.redirects.isAbsent {
            report(
                hosts.location,
                "\(scope.name("redirect_hosts")) is given without redirects, so no redirect is followed",
                remedy: "add redirects: 3")
        }
        let hosts = choice(declared.redirectHosts, scope.name("redirect_hosts"), of: RedirectHosts.self)
        return HTTPRedirects(limit: limit, isAnyHost: hosts == .any)
    }

    private func dns(_ declared: CheckDeclaration, _ scope: Scope) -> Check.Probe? {
        let code = choice(declared.code, scope.name("code"), default: ResponseCode.noError)
        let type = recordType(declared, scope)
        _ = required(declared.name, "name", in: scope, example: "name: example.com")
        guard let name = line(declared.name, scope.name("name"), Expected.domainName) else { return nil }
        do { _ = try DomainName(name.value) } catch {
            report(name.location, "\(scope.name("name")) is not a domain name (\(error))", remedy: "correct it")
            return nil
        }
        guard let answer = answer(declared, scope, type) else { return nil }
        guard let port = port(declared, scope, default: 53), let code, let type else { return nil }
        return .dns(
            DNSProbe(port: port, name: name.value, type: type.rawValue, responseCode: code.number, answer: answer))
    }

    /// The record to expect, as replies are shown. The outer `nil` only after a problem.
    private func answer(_ declared: CheckDeclaration, _ scope: Scope, _ type: RecordType?) -> String?? {
        guard !declared.answer.isAbsent else { return .some(nil) }
        let name = scope.name("answer")
        guard let type, let line = line(declared.answer, name, Expected.text) else { return nil }
        let text: String? =
            switch type {
            case .a, .aaaa:
                IPAddress(line.value).flatMap { ($0.family == .v4) == (type == .a) ? "\($0)" : nil }
            case .txt: line.value
            default: (try? DomainName(line.value)).map { "\($0)".lowercased() }
            }
        guard DNSProbe.comparable.contains(type.rawValue), let text else {
            report(
                line.location, "\(name) is \(line.quoted), which is no answer of type \(type)",
                remedy: "give a value of type A, AAAA, CNAME, NS, PTR or TXT, and the type as record")
            return nil
        }
        return text
    }

    /// `nil` only after a problem.
    private func recordType(_ declared: CheckDeclaration, _ scope: Scope) -> RecordType? {
        guard !declared.record.isAbsent else { return .soa }
        let name = scope.name("record")
        guard let line = line(declared.record, name, Expected.recordType) else { return nil }
        guard let type = RecordType(line.value) else {
            report(
                line.location, "\(name) is \(line.quoted), expected \(Expected.recordType)",
                remedy: "write it like A")
            return nil
        }
        return type
    }

    // MARK: - Shared by several types

    /// Text that may contain line ends. Empty if the key is absent. `nil` only after a problem.
    private func anyText(_ declared: Declared<String>, _ key: String, _ scope: Scope) -> String? {
        guard !declared.isAbsent else { return "" }
        guard let text = declared.located else { return nil }
        guard !text.value.isEmpty else {
            report(
                text.location, "\(scope.name(key)) is empty, which matches everything",
                remedy: "set a text, or remove it")
            return nil
        }
        return text.value
    }

    /// The server name to request, which the certificate must match. The outer `nil` only after a problem, the inner
    /// one if there is none.
    private func host(_ declared: CheckDeclaration, _ scope: Scope) -> String?? {
        guard !declared.host.isAbsent else { return .some(nil) }
        let name = scope.name("host")
        guard let line = line(declared.host, name, Expected.host) else { return nil }
        guard line.value.utf8.count <= 255, line.value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            report(
                line.location, "\(name) is \(line.quoted), expected ASCII without spaces", remedy: "correct it")
            return nil
        }
        return line.value
    }

    /// `nil` only after a problem.
    private func port(
        _ declared: CheckDeclaration, _ scope: Scope, default fallback: UInt16?
    ) -> UInt16? {
        if declared.port.isAbsent, let fallback { return fallback }
        return required(declared.port, "port", in: scope, example: "port: 443")
            .flatMap { integer($0, scope.name("port"), .port) }.map { UInt16($0) }
    }

    /// The rules where TLS is asked for. The outer `nil` only after a problem, the inner one without TLS.
    private func tls(_ declared: CheckDeclaration, _ scope: Scope, isUsed: Declared<Bool>) -> TLSRules?? {
        guard let rules = tls(declared, scope), let isUsed = isUsed.value(or: false) else { return nil }
        let needs = [("host", declared.host.isAbsent), ("verify", declared.verify.isAbsent)]
        if !isUsed, let key = needs.first(where: { !$0.1 })?.0, declared.type.located?.value != "grpc" || key != "host"
        {
            report(scope.location, "\(scope.owner) has \(key) without TLS", remedy: "add tls: true, or remove \(key)")
            return nil
        }
        return isUsed ? rules : .some(nil)
    }

    /// `nil` only after a problem.
    private func tls(_ declared: CheckDeclaration, _ scope: Scope) -> TLSRules? {
        let authorities = optionalPath(declared.authorities, "authorities", in: scope)
        guard let verifies = declared.verify.value(or: true), authorities != nil || declared.authorities.isAbsent
        else { return nil }
        return TLSRules(verifies: verifies, authorities: authorities?.path)
    }
}
