/// `tcp` and `tls`.
struct StreamRules: EndpointRules {
    let context: RuleContext

    func tcp(_ declaration: ConfigurationDeclaration, _ root: Scope) -> TCPSettings? {
        let standard = TCPSettings.standard
        guard !declaration.tcp.isAbsent else { return standard }
        guard let located = declaration.tcp.located else { return nil }
        let (declared, scope) = (located.value, root.nested("tcp", located))
        let idle = duration(declared.idle, scope.name("idle"), .idle, default: standard.idleMilliseconds)
        let connections = integer(
            declared.connections, scope.name("connections"), .connections, default: standard.connections)
        let perClient = integer(
            declared.perClient, scope.name("per_client"), .connections, default: standard.connectionsPerClient)
        let queries = integer(
            declared.queries, scope.name("queries"), .queriesPerConnection, default: standard.queriesPerConnection)
        guard let idle, let connections, let perClient, let queries else { return nil }
        return TCPSettings(
            idleMilliseconds: idle, connections: connections, connectionsPerClient: perClient,
            queriesPerConnection: queries)
    }

    /// The outer `nil` only after a problem, the inner one if the key is absent.
    func tls(
        _ declaration: ConfigurationDeclaration, _ root: Scope, listen: [ListenSettings]
    ) -> TLSSettings?? {
        guard !declaration.tls.isAbsent else { return .some(nil) }
        guard let located = declaration.tls.located else { return nil }
        let (declared, scope) = (located.value, root.nested("tls", located))
        _ = required(declared.listen, "listen", in: scope, example: ListForm.tlsListen.example)
        let endpoints = endpoints(
            declared.listen, .tlsListen, in: scope, defaultPort: TLSSettings.defaultPort)
        for entry in endpoints where listen.contains(where: { $0.endpoint == entry.endpoint }) {
            report(
                entry.mark, "tls.listen has \(entry.endpoint), which listen has too, expected another port",
                remedy: "leave the port out for \(TLSSettings.defaultPort)")
        }
        let certificate = certificate(declared.certificate, in: scope)
        let key = certificateKey(declared.key, in: scope)
        guard !endpoints.isEmpty, let certificate, let key else { return nil }
        return TLSSettings(listen: endpoints, certificate: certificate, key: key, mark: scope.location)
    }
}
