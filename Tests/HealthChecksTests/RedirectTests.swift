import Fixtures
import Health
import HealthChecks
import IPNetworks
import Testing

@Suite struct RedirectTests {
    /// A server whose paths redirect to others: `/a` to what the dictionary has for it, all else is a page.
    private func server(_ ways: [String: String]) throws -> TestServer {
        try TestServer { request in
            let line = String(decoding: request, as: UTF8.self).split(separator: " ")
            guard line.count > 1 else { return [] }
            guard let way = ways[String(line[1])] else { return TestServer.http("200 OK", "well") }
            return Array("HTTP/1.1 302 Found\r\nLocation: \(way)\r\nContent-Length: 0\r\n\r\n".utf8)
        }
    }

    private func outcome(
        _ server: TestServer, _ redirects: HTTPRedirects, path: String = "/a", host: String? = nil
    ) async throws -> ProbeOutcome {
        let probe = HTTPProbe(port: server.port, path: path, host: host, body: "well", redirects: redirects)
        return try await HealthChecksTests.outcome(of: .http(probe))
    }

    @Test("a redirect is a failure unless it is followed, at most as often as configured")
    func followed() async throws {
        let server = try server(["/a": "/b", "/b": "c?x=1", "/c?x=1": "/d"])
        #expect(try await outcome(server, HTTPRedirects()).evidence == "status 302")
        #expect(try await outcome(server, HTTPRedirects(limit: 3)).result == .passed)
        let tooMany = try await outcome(server, HTTPRedirects(limit: 2))
        #expect(tooMany.evidence.hasPrefix("status 302, more than 2 redirects: http://127.0.0.1:"))
    }

    @Test("a redirect loop is reported at once")
    func loop() async throws {
        let server = try server(["/a": "/b", "/b": "/a"])
        let seen = try await outcome(server, HTTPRedirects(limit: 10))
        #expect(seen.result == .failed)
        #expect(seen.evidence.hasPrefix("status 302, redirect loop: http://127.0.0.1:"), "\(seen.evidence)")
    }

    @Test("a redirect to another host is followed if configured, at the node's address, without a DNS lookup")
    func hosts() async throws {
        let place = try TestServer { request in
            let text = String(decoding: request, as: UTF8.self)
            return TestServer.http("200 OK", text.contains("Host: never.invalid:") ? "well" : "another")
        }
        let server = try server(["/a": "http://never.invalid:\(place.port)/x"])
        let refused = try await outcome(server, HTTPRedirects(limit: 3))
        #expect(refused.evidence.hasPrefix("status 302, redirect to another host: http://never.invalid:"))
        let followed = try await outcome(server, HTTPRedirects(limit: 3, isAnyHost: true))
        #expect(followed.result == .passed, "\(followed.evidence)")
    }

    @Test(
        "a Location that is not an HTTP address is refused",
        arguments: ["ftp://x/", "http://", "http://u@x/", "a b", ""])
    func nowhere(location: String) async throws {
        let server = try server(["/a": location])
        let seen = try await outcome(server, HTTPRedirects(limit: 3, isAnyHost: true))
        #expect(seen.evidence == "status 302, redirect without a usable Location")
    }

    @Test(
        "a Location is resolved as in RFC 3986",
        arguments: [
            ("/x", "http node:8080 /x"), ("x?y", "http node:8080 /dir/x?y"), ("?y", "http node:8080 /dir/page?y"),
            ("//other/x#part", "http other:80 /x"), ("HTTPS://Other:8443", "https other:8443 /"),
            ("https://[2001:db8::1]/", "https [2001:db8::1]:443 /"),
            ("http://[2001:db8::1]:81/?q", "http [2001:db8::1]:81 /?q"),
            ("http://x:0/", nil), ("http://x:65536/", nil), ("mailto:x", nil), ("http://x/\u{1}", nil),
        ])
    func places(location: String, expected: String?) {
        let target = HTTPTarget(isSecure: false, host: "node", port: 8080, path: "/dir/page?z")
        let next = target.redirected(to: location)
        #expect(next.map { "\($0.isSecure ? "https" : "http") \($0.host):\($0.port) \($0.path)" } == expected)
    }
}
