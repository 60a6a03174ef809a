import Fixtures
import Foundation
import Health
import HealthChecks
import IPNetworks
import Testing

/// An authority and the certificates it signs, made by the openssl command.
private final class Authority {
    private let folder: URL
    var certificate: String { path("ca.pem") }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "nct-ca-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data().write(to: folder.appending(path: "index.txt"))
        try Data("01\n".utf8).write(to: folder.appending(path: "serial"))
        try Data(Self.settings.utf8).write(to: folder.appending(path: "ca.cnf"))
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
            "/CN=test authority", "-out", "ca.pem", "-keyout", "ca.key")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private static let settings = """
        [ca]
        default_ca = here
        [here]
        dir = .
        database = index.txt
        serial = serial
        new_certs_dir = .
        certificate = ca.pem
        private_key = ca.key
        default_md = sha256
        policy = any
        unique_subject = no
        copy_extensions = copy
        [any]
        commonName = supplied
        """

    private func path(_ file: String) -> String { folder.appending(path: file).path }

    private func openssl(_ arguments: String...) throws {
        let script = "cd \(folder.path) && exec openssl \"$@\" 2>/dev/null"
        try Fixtures.run(["sh", "-c", script, "openssl"] + arguments)
    }

    /// Signs one for a name, good from so many days from now until an hour after so many.
    func issue(
        _ name: String, from: Int, until: Int, also: String = ""
    ) throws -> (certificate: String, key: String) {
        let file = "\(name)-\(from)-\(until)"
        try openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)", "-addext",
            "subjectAltName=DNS:\(name)\(also)", "-out", "\(file).csr", "-keyout", "\(file).key")
        func date(_ days: Int, hours: Int = 0) throws -> String {
            try Fixtures.run(["date", "-u", "-d", "\(days) days \(hours) hours", "+%Y%m%d%H%M%SZ"])
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        try openssl(
            "ca", "-batch", "-config", "ca.cnf", "-startdate", date(from), "-enddate", date(until, hours: 1), "-in",
            "\(file).csr", "-out", "\(file).pem", "-notext")
        return (path("\(file).pem"), path("\(file).key"))
    }
}

@Suite(.serialized) struct CertificateTests {
    @Test("an address in a node's certificate does not replace the name that clients ask for")
    func address() async throws {
        let authority = try Authority()
        let files = try authority.issue("*.example.com", from: -1, until: 10, also: ",IP:127.0.0.1")
        let server = try TLSServer(certificate: files.certificate, key: files.key)
        func result(_ host: String?, verifies: Bool = true) async throws -> ProbeOutcome {
            let rules = TLSRules(verifies: verifies, authorities: authority.certificate)
            return try await outcome(
                of: .http(HTTPProbe(port: server.port, host: host, tls: rules)), timeout: 30_000)
        }
        for host in ["www.example.com", "WWW.Example.COM.", nil, "127.0.0.1"] {
            #expect(try await result(host).result == .passed, "\(host ?? "the address")")
        }
        for host in ["www.example.net", "a.b.example.com", "example.com"] {
            #expect(try await result(host).evidence == "TLS: the certificate is for another name", "\(host)")
            #expect(try await result(host, verifies: false).result == .passed, "\(host)")
        }
    }

    @Test(
        "an expired, premature, misnamed or untrusted certificate fails, and a good one passes")
    func certificates() async throws {
        let authority = try Authority()
        let trust = TLSRules(authorities: authority.certificate)
        func outcomes(
            from: Int, until: Int, host: String = "node.example.com", _ rules: TLSRules, days: Int = 0
        ) async throws -> [ProbeOutcome] {
            let files = try authority.issue("node.example.com", from: from, until: until)
            let server = try TLSServer(certificate: files.certificate, key: files.key)
            let certificate = CertificateProbe(port: server.port, host: host, days: days, tls: rules)
            return [
                try await outcome(of: .certificate(certificate), timeout: 30_000),
                try await outcome(of: .http(HTTPProbe(port: server.port, host: host, tls: rules)), timeout: 30_000),
            ]
        }
        let good = try await outcomes(from: -1, until: 10, trust)
        #expect(good.allSatisfy { $0.result == .passed }, "\(good)")
        let ending = try await outcomes(from: -1, until: 10, trust, days: 20)
        #expect(ending[0].evidence == "the certificate expires in 10 days" && ending[1].result == .passed, "\(ending)")
        let justEnough = try await outcomes(from: -1, until: 10, trust, days: 10)
        #expect(justEnough[0].result == .passed, "\(justEnough)")
        let justTooFew = try await outcomes(from: -1, until: 10, trust, days: 11)
        #expect(justTooFew[0].evidence == "the certificate expires in 10 days", "\(justTooFew)")
        let cases: [(String, [ProbeOutcome])] = [
            ("expired 1 day ago", try await outcomes(from: -10, until: -2, trust)),
            ("is not valid yet", try await outcomes(from: 1, until: 10, trust)),
            ("is for another name", try await outcomes(from: -1, until: 10, host: "other.example.com", trust)),
            ("is not signed by a trusted authority", try await outcomes(from: -1, until: 10, TLSRules())),
        ]
        for (what, seen) in cases {
            #expect(
                seen.allSatisfy { $0.result == .failed && $0.evidence == "TLS: the certificate \(what)" }, "\(seen)")
        }
        // Not verified, the end alone counts.
        let unverified = try await outcomes(from: -10, until: -1, TLSRules(verifies: false))
        #expect(unverified[0].evidence == "the certificate has expired", "\(unverified)")
        #expect(unverified[1].result == .passed)
    }
}
