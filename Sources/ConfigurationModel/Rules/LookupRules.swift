import IPNetworks

/// `lookup`.
struct LookupRules: EndpointRules {
    let context: RuleContext

    /// As many as the C library takes from resolv.conf.
    private static let maximumServers = 3

    /// `nil` only after a problem.
    func lookup(_ declaration: ConfigurationDeclaration, _ root: Scope) -> LookupSettings? {
        guard !declaration.lookup.isAbsent else { return LookupSettings(servers: [], mark: root.location) }
        guard let located = declaration.lookup.located else { return nil }
        let (declared, scope) = (located.value, root.nested("lookup", located))
        _ = required(declared.servers, "servers", in: scope, example: ListForm.lookupServers.example)
        let servers = endpoints(
            declared.servers, .lookupServers, key: "servers", in: scope, defaultPort: 53, limit: Self.maximumServers)
        for server in servers { refuseUnusable(server, scope.name("servers")) }
        return servers.isEmpty ? nil : LookupSettings(servers: servers.map(\.endpoint), mark: located.key)
    }

    private func refuseUnusable(_ server: ListenSettings, _ label: String) {
        let address = server.endpoint.address
        func isIn(_ prefix: String) -> Bool { IPPrefix(prefix)?.contains(address) == true }
        let found = "\(label) has \(server.endpoint)"
        if isIn("0.0.0.0/8") || isIn("::/128") || isIn("224.0.0.0/4") || isIn("255.255.255.255/32") || isIn("ff00::/8")
        {
            report(server.mark, "\(found), expected the address of one server", remedy: "correct it")
        } else if isIn("fe80::/10") {
            report(
                server.mark, "\(found), a link-local address, which says nothing without its interface",
                remedy: "use another address of the server")
        }
    }
}
