import ConfigurationModel

extension ServerConfiguration {
    /// The settings that differ from `earlier` and need a restart, each with its location.
    func settingsFixed(since earlier: ServerConfiguration) -> [ConfigurationError.Problem] {
        var problems: [ConfigurationError.Problem] = []
        func refuse(_ mark: DocumentLocation, _ setting: String, _ old: String, _ new: String) {
            guard old != new else { return }
            problems.append(
                problem(at: mark, "\(setting) is \(new) and was \(old) at the start: it cannot change by a reload"))
        }
        func text(_ listen: [ListenSettings]) -> String { listen.map { "\($0.endpoint)" }.joined(separator: " ") }
        func text(_ interfaces: [InterfaceSettings]) -> String {
            interfaces.isEmpty ? "none" : interfaces.map(\.name).joined(separator: " ")
        }
        refuse(listen[0].mark, "listen", text(earlier.listen), text(listen))
        refuse(control.mark, "control", earlier.control.path, control.path)
        refuse(state.mark, "state", earlier.state.path, state.path)
        refuse(fastPath.mark, "fast_path.mode", earlier.fastPath.mode.rawValue, fastPath.mode.rawValue)
        refuse(
            fastPath.interfaces.first?.mark ?? fastPath.mark, "fast_path.interfaces", text(earlier.fastPath.interfaces),
            text(fastPath.interfaces))
        for (setting, mark, isSame) in [
            ("fast_path.stale", fastPath.mark, earlier.fastPath.stale == fastPath.stale),
            ("tcp", listen[0].mark, earlier.tcp == tcp),
            ("tls", tls?.mark ?? listen[0].mark, Self.endpoints(earlier.tls) == Self.endpoints(tls)),
            (
                "health.reports.listen", reports?.listener?.mark ?? listen[0].mark,
                Self.fixed(earlier.reports) == Self.fixed(reports)
            ),
            (
                "metrics", metrics?.mark ?? listen[0].mark,
                Self.fixed(earlier.metrics) == Self.fixed(metrics)
            ),
        ] where !isSame {
            problems.append(
                problem(at: mark, "\(setting) differs from what it was at the start: it cannot change by a reload"))
        }
        return problems
    }

    /// What is fixed of `health.reports`: the files' content may change.
    private static func fixed(_ reports: ReportSettings?) -> [String] {
        guard let listener = reports?.listener else { return [] }
        let files = [listener.tokens.path, listener.certificate?.chain.path, listener.certificate?.key.path]
        return listener.listen.map { "\($0.endpoint)" } + files.compactMap(\.self)
    }

    /// What is fixed of `metrics`: the files' content may change.
    private static func fixed(_ metrics: MetricsSettings?) -> [String] {
        guard let metrics else { return [] }
        let files = [metrics.certificate?.chain.path, metrics.certificate?.key.path]
        return metrics.listen.map { "\($0.endpoint)" } + files.compactMap(\.self)
    }

    /// What is fixed of `tls`: the files' content may change.
    private static func endpoints(_ tls: TLSSettings?) -> [String] {
        tls.map { $0.listen.map { "\($0.endpoint)" } + [$0.certificate.path, $0.key.path] } ?? []
    }
}
