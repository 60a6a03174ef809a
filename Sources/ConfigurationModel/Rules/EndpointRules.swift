import IPNetworks

/// Endpoints of listeners, and their certificates.
protocol EndpointRules: ValueRules {}

extension EndpointRules {
    /// A list of endpoints without duplicates. If there is a `defaultPort`, an address alone is enough.
    func endpoints(
        _ declared: DeclaredList<String>, _ form: ListForm, key: String = "listen", in scope: Scope,
        defaultPort: UInt16? = nil, limit most: Int = ServerConfiguration.maximumListenEndpoints
    ) -> [ListenSettings] {
        guard let elements = list(declared, key, form, in: scope) else { return [] }
        let name = scope.name(key)
        limit(elements, to: most, name, of: "endpoints")
        var settings: [ListenSettings] = []
        for element in elements {
            guard let endpoint = endpoint(element, name, defaultPort) else { continue }
            if let first = settings.first(where: { $0.endpoint == endpoint }) {
                report(
                    element.location,
                    "\(name) has \(endpoint) twice, first at \(first.mark.reference(from: element.location))",
                    remedy: "remove one")
                continue
            }
            settings.append(ListenSettings(endpoint: endpoint, mark: element.location))
        }
        return settings
    }

    private func endpoint(
        _ element: Located<String>, _ name: String, _ defaultPort: UInt16?
    ) -> SocketEndpoint? {
        guard let line = line(element, "an entry of \(name)", Expected.endpoint) else { return nil }
        let text = line.value
        if let endpoint = SocketEndpoint(text), endpoint.port > 0 { return endpoint }
        let found = "\(name) has \(line.quoted)"
        if let address = IPAddress(text) {
            if let defaultPort { return SocketEndpoint(address: address, port: defaultPort) }
            report(
                line.location, "\(found), expected \(Expected.endpoint)",
                remedy: "write \"\(SocketEndpoint(address: address, port: 53))\"")
        } else if let colon = text.lastIndex(of: ":"), SocketEndpoint(text[..<colon] + ":53") != nil {
            report(line.location, "\(found), expected a port from 1 to 65535", remedy: "correct the port")
        } else {
            report(
                line.location, "\(found), expected \(Expected.endpoint)",
                remedy: #"write it like "192.0.2.53:53" or "[2001:db8::53]:53""#)
        }
        return nil
    }

    func certificate(_ declared: Declared<String>, in scope: Scope) -> PathSetting? {
        requiredPath(declared, "certificate", in: scope, example: "/etc/nearcast/certificate.pem")
    }

    func certificateKey(_ declared: Declared<String>, in scope: Scope) -> PathSetting? {
        requiredPath(declared, "key", in: scope, example: "/etc/nearcast/key.pem")
    }
}
