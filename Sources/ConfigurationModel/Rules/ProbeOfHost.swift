import Health

extension Check.Probe {
    /// The same probe, which asks a host by its name unless it has another one.
    func naming(_ target: Check.Target) -> Check.Probe {
        guard case .host(let name) = target else { return self }
        switch self {
        case .tcp(let probe):
            return .tcp(
                TCPProbe(
                    port: probe.port, send: probe.send, expect: probe.expect, tls: probe.tls, host: probe.host ?? name))
        case .http(let probe):
            return .http(
                HTTPProbe(
                    port: probe.port, path: probe.path, host: probe.host ?? name, codes: probe.codes, body: probe.body,
                    fields: probe.fields, json: probe.json, tls: probe.tls, redirects: probe.redirects))
        case .certificate(let probe):
            return .certificate(
                CertificateProbe(port: probe.port, host: probe.host ?? name, days: probe.days, tls: probe.tls))
        case .grpc(let probe):
            return .grpc(
                GRPCProbe(port: probe.port, service: probe.service, host: probe.host ?? name, tls: probe.tls))
        case .dns, .icmp, .command, .report: return self
        }
    }
}
