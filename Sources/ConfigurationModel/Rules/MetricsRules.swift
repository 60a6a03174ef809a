/// `metrics`.
struct MetricsRules: EndpointRules {
    let context: RuleContext

    /// The outer `nil` only after a problem, the inner one if the key is absent.
    ///
    /// - Parameter others: the endpoints that other listeners serve over TCP.
    func metrics(
        _ declaration: ConfigurationDeclaration, _ root: Scope, others: [ListenSettings]
    ) -> MetricsSettings?? {
        guard !declaration.metrics.isAbsent else { return .some(nil) }
        guard let located = declaration.metrics.located else { return nil }
        let (declared, scope) = (located.value, root.nested("metrics", located))
        _ = required(declared.listen, "listen", in: scope, example: ListForm.metricsListen.example)
        let endpoints = endpoints(declared.listen, .metricsListen, in: scope)
        for entry in endpoints where others.contains(where: { $0.endpoint == entry.endpoint }) {
            report(
                entry.mark,
                "metrics.listen has \(entry.endpoint), which another listener has too, expected another port",
                remedy: "change one of them")
        }
        guard !declared.tls.isAbsent else {
            return endpoints.isEmpty
                ? nil : MetricsSettings(listen: endpoints, certificate: nil, mark: scope.location)
        }
        guard let tls = declared.tls.located else { return nil }
        let inner = scope.nested("tls", tls)
        let chain = certificate(tls.value.certificate, in: inner)
        let key = certificateKey(tls.value.key, in: inner)
        guard !endpoints.isEmpty, let chain, let key else { return nil }
        return MetricsSettings(listen: endpoints, certificate: .init(chain: chain, key: key), mark: scope.location)
    }
}
