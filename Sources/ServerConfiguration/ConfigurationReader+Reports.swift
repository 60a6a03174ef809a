import Health
import IPNetworks
import Yams

/// `health.reports`, and checks of type `report`.
extension ConfigurationReader {
    private static let missingRange = 1_000...3_600_000

    /// `nil` when it is absent, or after a problem.
    mutating func reports(_ health: Fields) -> ReportSettings? {
        guard let node = health["reports"] else { return nil }
        let known = ["missing_after", "listen", "tokens", "certificate", "key", "plain"]
        guard
            let fields = fields(
                node, name: "health.reports", prefix: "health.reports.", owner: "", known: known)
        else { return nil }
        return ReportSettings(
            missingAfterMilliseconds: missingAfter(fields) ?? ReportSettings.standardMissingAfter,
            listener: listener(fields))
    }

    /// Reads `missing_after`, in milliseconds.
    mutating func missingAfter(_ fields: Fields) -> Int? {
        fields["missing_after"].flatMap {
            duration($0, name: fields.name("missing_after"), in: Self.missingRange)
        }
    }

    private mutating func listener(_ fields: Fields) -> ReportSettings.Listener? {
        guard let node = fields["listen"] else {
            for key in ["tokens", "certificate", "key", "plain"] where fields[key] != nil {
                report(
                    fields[key]?.place ?? fields.mark,
                    "\(fields.name(key)) is given without health.reports.listen, where it would be used: add "
                        + #"listen: ["192.0.2.53:8453"], or remove it"#)
            }
            return nil
        }
        let listen = endpoints(node, name: fields.name("listen"), example: #"listen: ["192.0.2.53:8453"]"#)
        let tokens = requiredPath("tokens", in: fields, file: "tokens")
        guard let isPlain = flag("plain", in: fields, default: false) else { return nil }
        if isPlain {
            for key in ["certificate", "key"] where fields[key] != nil {
                report(
                    fields[key]?.place ?? fields.mark,
                    "\(fields.name(key)) and health.reports.plain are both given, expected one: remove one")
            }
        }
        let certificate = isPlain ? nil : certificate(fields)
        guard let tokens, !listen.isEmpty, isPlain || certificate != nil else { return nil }
        return ReportSettings.Listener(listen: listen, tokens: tokens, certificate: certificate, mark: fields.mark)
    }

    private mutating func certificate(_ fields: Fields) -> ReportSettings.Certificate? {
        let chain = requiredPath("certificate", in: fields)
        let key = requiredPath("key", in: fields)
        guard let chain, let key else { return nil }
        return ReportSettings.Certificate(chain: chain, key: key)
    }

    /// Ids of the other vantage points.
    mutating func observers(_ health: Fields) -> [String] {
        guard let node = health["observers"] else { return [] }
        let name = health.name("observers")
        let elements = list(node, name: name, of: "observer", example: "observers: [ams, nyc]") ?? []
        if elements.count > 15 {
            report(elements[15].place, "\(name) has \(elements.count) entries, expected at most 15: remove some")
        }
        var ids: [String] = []
        for element in elements {
            let expected = "1 to 63 letters, digits, dots, hyphens and underscores"
            guard let id = text(element, name: "an entry of \(name)", expected: expected) else { continue }
            let isName = id.utf8.allSatisfy { byte in
                byte < 128 && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber)
                    || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
            guard isName, id.utf8.count <= 63, id != "own" else {
                report(
                    element.place, "\(name) has \(element.kind), expected \(expected), and not own: correct it")
                continue
            }
            guard !ids.contains(id) else {
                report(element.place, "\(name) has \(id) twice, expected each once: remove one")
                continue
            }
            ids.append(id)
        }
        return ids
    }

    /// A check of type `report` of a node. What other checks have from further out it has not: nothing is asked.
    func reportCheck(of node: NodeSettings, _ own: HealthDraft.CheckDraft, _ draft: HealthDraft) -> Check {
        let missingAfter = own.pace.interval ?? draft.missingAfter ?? ReportSettings.standardMissingAfter
        return Check(
            .report, target: node.addresses[0], intervalMilliseconds: Int64(missingAfter),
            timeoutMilliseconds: Int64(missingAfter), fall: own.pace.fall ?? 1, rise: own.pace.rise ?? 1)
    }

    mutating func requireOneReport(_ checks: [HealthDraft.CheckDraft]) {
        let reports = checks.filter { $0.probe == .report }
        // The same list may be read for many nodes.
        guard reports.count > 1,
            !problems.contains(where: { $0.line == reports[1].mark.line && $0.column == reports[1].mark.column })
        else { return }
        report(
            reports[1].mark, "there are two checks of type report for one node, expected one: remove one of them")
    }
}
