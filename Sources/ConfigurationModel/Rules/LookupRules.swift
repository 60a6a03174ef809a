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
        return servers.isEmpty ? nil : LookupSettings(servers: servers.map(\.endpoint), mark: located.key)
    }
}
