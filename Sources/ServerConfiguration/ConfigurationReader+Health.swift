import Health
import IPNetworks
import Yams

/// `health`: of the whole file, of pools and of nodes.
extension ConfigurationReader {
    /// What the whole file says of health.
    struct GlobalHealth {
        var draft = HealthDraft(mark: SourceMark(line: 1, column: 1))
        var brake = Brake()
        var reports: ReportSettings?
        var observers: [String] = []
    }

    private static let healthKeys = ["interval", "timeout", "fall", "rise", "slow_start", "checks", "load"]

    mutating func health(_ root: Fields) -> GlobalHealth {
        guard let node = root["health"] else { return GlobalHealth() }
        guard
            let fields = fields(
                node, name: "health", prefix: "health.", owner: "",
                known: Self.healthKeys + ["brake", "reports", "observers"])
        else { return GlobalHealth() }
        let reports = reports(fields)
        var draft = draft(fields)
        draft.missingAfter = reports?.missingAfterMilliseconds
        return GlobalHealth(
            draft: draft, brake: brake(fields) ?? Brake(), reports: reports, observers: observers(fields))
    }

    /// Reads `health` of a node or a pool; `off` means that nothing is checked, and no load regarded.
    mutating func health(of entry: Entry) -> HealthDraft? {
        guard let node = entry.fields["health"] else { return nil }
        if node.scalar?.string == "off" {
            return HealthDraft(load: HealthDraft.Load(isOff: true, mark: node.place), checks: [], mark: node.place)
        }
        guard
            let fields = fields(
                node, name: entry.fields.name("health"), prefix: "health.", owner: entry.owner, known: Self.healthKeys)
        else { return nil }
        return draft(fields)
    }

    private mutating func draft(_ fields: Fields) -> HealthDraft {
        var draft = HealthDraft(pace: pace(fields), mark: fields.mark)
        draft.slowStart = fields["slow_start"].flatMap {
            duration($0, name: fields.name("slow_start"), in: 0...3_600_000)
        }
        draft.load = load(fields)
        if let node = fields["checks"] {
            let name = fields.name("checks")
            let elements = list(node, name: name, of: "check", example: "checks: [{type: tcp, port: 443}]") ?? []
            if elements.count > 16 {
                report(elements[16].place, "\(name) has \(elements.count) checks, expected at most 16: remove some")
            }
            draft.checks = elements.enumerated().compactMap { index, element in
                check(element, name: "check \(index + 1)" + (fields.owner.isEmpty ? "" : " of \(fields.owner)"))
            }
        }
        return draft
    }

    private mutating func pace(_ fields: Fields) -> HealthDraft.Pace {
        func number(_ key: String) -> Int? {
            fields[key].flatMap { integer($0, name: fields.name(key), in: 1...100) }
        }
        func time(_ key: String, _ range: ClosedRange<Int>) -> Int? {
            fields[key].flatMap { duration($0, name: fields.name(key), in: range) }
        }
        return HealthDraft.Pace(
            interval: time("interval", 100...3_600_000), timeout: time("timeout", 10...60_000), fall: number("fall"),
            rise: number("rise"))
    }

    private mutating func brake(_ outer: Fields) -> Brake? {
        guard let node = outer["brake"] else { return nil }
        if node.scalar?.string == "off" { return Brake(percent: 100) }
        guard
            let fields = fields(
                node, name: "health.brake", prefix: "health.brake.", owner: "", known: ["percent", "hold"])
        else { return nil }
        let percent = fields["percent"].map {
            integer($0, name: fields.name("percent"), in: 1...100, unit: "percent")
        }
        let hold = fields["hold"].map { duration($0, name: fields.name("hold"), in: 1_000...3_600_000) }
        let standard = Brake()
        return Brake(
            percent: (percent ?? nil) ?? standard.percent,
            holdMilliseconds: (hold ?? nil).map(Int64.init) ?? standard.holdMilliseconds)
    }
}

/// What all of it comes to.
extension ConfigurationReader {
    mutating func nodeHealth(
        _ nodes: [NodeSettings], _ nodeEntries: [Entry], _ pools: [PoolSettings], _ poolEntries: [Entry],
        _ global: HealthDraft
    ) -> [NodeSettings] {
        var own: [String: HealthDraft] = [:]
        for entry in nodeEntries { own[entry.identifier.text] = health(of: entry) }
        let pooled = poolEntries.compactMap { entry in health(of: entry).map { (entry.identifier.text, $0) } }
        return healthRules(nodes, pools, own: own, pooled: pooled, global: global)
    }

    /// Gives each node the rules that follow from its own `health`, its pools' and the file's.
    ///
    /// - Parameters:
    ///   - own: by node.
    ///   - pooled: of pools that have one, in the file's order.
    private mutating func healthRules(
        _ nodes: [NodeSettings], _ pools: [PoolSettings], own: [String: HealthDraft],
        pooled: [(pool: String, draft: HealthDraft)], global: HealthDraft
    ) -> [NodeSettings] {
        var inherited: [String: (pool: String, draft: HealthDraft)] = [:]
        let members = Dictionary(pools.map { ($0.id, $0.members.map(\.node)) }) { first, _ in first }
        for (pool, draft) in pooled {
            for node in members[pool] ?? [] {
                if let other = inherited[node], own[node] == nil {
                    report(
                        draft.mark,
                        "pools \(Spelling.quoted(other.pool)) and \(Spelling.quoted(pool)) both have health for node "
                            + "\(Spelling.quoted(node)), expected one of them: give the node its own health")
                } else {
                    inherited[node] = (pool, draft)
                }
            }
        }
        return nodes.map { settings in
            let outer = inherited[settings.id].map { $0.draft.within(global) } ?? global
            var settings = settings
            settings.health = rules(of: settings, own[settings.id]?.within(outer) ?? outer)
            return settings
        }
    }

    private mutating func rules(of node: NodeSettings, _ draft: HealthDraft) -> HealthRules {
        let checks = (draft.checks ?? []).compactMap {
            $0.probe == .report ? reportCheck(of: node, $0, draft) : check(of: node, $0, draft.pace)
        }
        requireOneReport(draft.checks ?? [])
        var seen: Set<Check> = []
        return HealthRules(
            checks: checks.filter { seen.insert($0).inserted },
            slowStartMilliseconds: Int64(draft.slowStart ?? 60_000), load: loadRules(of: node, draft.load))
    }

    private static let checkOfNode = "a check of node"

    /// Reports what one place says of many nodes for the first of them.
    ///
    /// - Parameter beginning: of all such messages.
    private mutating func reportOnce(_ mark: SourceMark, _ beginning: String, _ message: String) {
        let isKnown = problems.contains {
            $0.line == mark.line && $0.column == mark.column && $0.message.hasPrefix(beginning)
        }
        if !isKnown { report(mark, message) }
    }

    private mutating func check(
        of node: NodeSettings, _ draft: HealthDraft.CheckDraft, _ outer: HealthDraft.Pace
    ) -> Check? {
        let pace = draft.pace.within(outer)
        let interval = pace.interval ?? 5_000
        let timeout = pace.timeout ?? min(2_000, interval / 2)
        guard timeout < interval else {
            reportOnce(
                draft.mark, Self.checkOfNode,
                "\(Self.checkOfNode) \(Spelling.quoted(node.id)) has a timeout of \(timeout) ms and an interval of "
                    + "\(interval) ms, expected the timeout to be shorter: change one of them")
            return nil
        }
        let target = draft.target ?? node.addresses[0]
        if let source = draft.source, source.family != target.family {
            reportOnce(
                draft.mark, Self.checkOfNode,
                "\(Self.checkOfNode) \(Spelling.quoted(node.id)) asks \(target) from \(source), expected addresses of one "
                    + "family: add an address of the source's family to the check")
            return nil
        }
        return Check(
            draft.probe, target: target, source: draft.source, intervalMilliseconds: Int64(interval),
            timeoutMilliseconds: Int64(timeout), fall: pace.fall ?? 3, rise: pace.rise ?? 5)
    }
}

/// One check.
extension ConfigurationReader {
    private enum CheckType: String, CaseIterable {
        case tcp, http, https, dns, icmp, certificate, report

        /// The keys that only this type has.
        var keys: [String] {
            switch self {
            case .tcp: ["port", "send", "expect"]
            case .http: ["port", "path", "host", "codes", "body", "redirects", "redirect_hosts"]
            case .https:
                ["port", "path", "host", "codes", "body", "redirects", "redirect_hosts", "verify", "authorities"]
            case .dns: ["port", "name", "record", "code"]
            case .icmp: []
            case .certificate: ["port", "host", "days", "verify", "authorities"]
            case .report: ["missing_after", "fall", "rise"]
            }
        }

        /// Those that it has with all others that ask.
        var common: [String] {
            self == .report ? [] : ["address", "source", "interval", "timeout", "fall", "rise"]
        }
    }

    private mutating func check(_ node: Node, name: String) -> HealthDraft.CheckDraft? {
        guard let given = node.mapping?.first(where: { $0.key.scalar?.string == "type" })?.value else {
            report(node.place, "type of \(name) is missing: add type: tcp")
            return nil
        }
        guard let type = choice(given, name: "type of \(name)", of: CheckType.self) else { return nil }
        let known = ["type"] + type.keys + type.common
        guard let fields = fields(node, name: name, prefix: "", owner: name, known: known),
            let probe = probe(type, fields)
        else { return nil }
        let target = fields["address"].flatMap { address($0, owner: name, key: "address") }
        let source = fields["source"].flatMap { address($0, owner: name, key: "source") }
        var pace = pace(fields)
        if type == .report { pace.interval = missingAfter(fields) }
        return HealthDraft.CheckDraft(probe: probe, target: target, source: source, pace: pace, mark: fields.mark)
    }

    /// `nil` only after a problem.
    private mutating func probe(_ type: CheckType, _ fields: Fields) -> Check.Probe? {
        switch type {
        case .tcp:
            let (send, expect) = (raw("send", fields), raw("expect", fields))
            guard let port = port(fields, default: nil), let send, let expect else { return nil }
            return .tcp(TCPProbe(port: port, send: send, expect: expect))
        case .http, .https: return http(type, fields)
        case .dns: return dns(fields)
        case .icmp: return .icmp
        case .report: return .report
        case .certificate:
            let days = fields["days"].map { integer($0, name: fields.name("days"), in: 0...3_650, unit: "days") } ?? 0
            guard let port = port(fields, default: 443), let days, let tls = tls(fields), let host = host(fields)
            else { return nil }
            return .certificate(CertificateProbe(port: port, host: host, days: days, tls: tls))
        }
    }

    private mutating func http(_ type: CheckType, _ fields: Fields) -> Check.Probe? {
        let path = fields["path"].map { text($0, name: fields.name("path"), expected: "a path") } ?? "/"
        let body = raw("body", fields)
        guard let port = port(fields, default: type == .http ? 80 : 443), let path, let codes = codes(fields),
            let tls = tls(fields), let host = host(fields), let body
        else { return nil }
        guard path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), path.hasPrefix("/") else {
            report(
                fields["path"]?.place ?? fields.mark,
                "\(fields.name("path")) is \(Spelling.quoted(path)), expected ASCII without spaces that begins with a "
                    + "slash: correct it")
            return nil
        }
        return .http(
            HTTPProbe(
                port: port, path: path, host: host, codes: codes, body: body,
                tls: type == .https ? tls : nil, redirects: redirects(fields)))
    }

    /// Reads `200` or `200-399`.
    private mutating func codes(_ fields: Fields) -> ClosedRange<Int>? {
        guard let node = fields["codes"] else { return 200...299 }
        let expected = "a status code or a range of them, from 100 to 599"
        guard let text = text(node, name: fields.name("codes"), expected: expected) else { return nil }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        if ends.count <= 2, let first = ends.first, let last = ends.last, first <= last, first >= 100, last <= 599 {
            return first...last
        }
        report(node.place, "\(fields.name("codes")) is \(node.kind), expected \(expected): write it like 200-399")
        return nil
    }

    /// Text that may have line ends in it; `nil` only after a problem.
    private mutating func raw(_ key: String, _ fields: Fields) -> String? {
        guard let node = fields[key] else { return "" }
        let name = fields.name(key)
        guard let text = scalar(node, name: name, expected: "text")?.string else { return nil }
        guard !text.isEmpty else {
            report(node.place, "\(name) is empty, which everything has in it: give it a text, or remove it")
            return nil
        }
        return text
    }

    /// The name that a server is asked for, and that its certificate must have; `nil` only after a problem, the inner where
    /// there is none.
    private mutating func host(_ fields: Fields) -> String?? {
        guard let node = fields["host"] else { return .some(nil) }
        let (name, expected) = (fields.name("host"), "a host's name or an address")
        guard let host = text(node, name: name, expected: expected) else { return nil }
        guard host.utf8.count <= 255, host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            report(node.place, "\(name) is \(Spelling.quoted(host)), expected ASCII without spaces: correct it")
            return nil
        }
        return host
    }

    private mutating func port(_ fields: Fields, default fallback: UInt16?) -> UInt16? {
        if fields["port"] == nil, let fallback { return fallback }
        return required("port", in: fields, example: "port: 443")
            .flatMap { integer($0, name: fields.name("port"), in: 1...65_535) }.map { UInt16($0) }
    }

    private mutating func tls(_ fields: Fields) -> TLSRules? {
        let verifies = fields["verify"].map { boolean($0, name: fields.name("verify")) } ?? true
        var authorities: String?
        if let node = fields["authorities"] {
            guard let text = text(node, name: fields.name("authorities"), expected: "a path") else { return nil }
            authorities = absolute(text)
        }
        return verifies.map { TLSRules(verifies: $0, authorities: authorities) }
    }
}
