/// Problems of identity, cookies, rate_limit, and of the networks of a zone.
extension ProblemCase {
    static let speech: [ProblemCase] = [
        ProblemCase(
            "an identifier that is too long",
            yaml: base + "identity: {nsid: " + String(repeating: "n", count: 129) + "}\n",
            reports: "3:18: identity.nsid is \"" + String(repeating: "n", count: 60)
                + "…\", expected 1 to 128 bytes, as text or as 0x and hexadecimal digits: change it"),
        ProblemCase(
            "an identifier of half a byte",
            yaml: base + "identity: {nsid: 0xabc}\n",
            reports: #"""
                3:18: identity.nsid is "0xabc", expected 1 to 128 bytes, as text or as 0x and hexadecimal digits: \#
                change it
                """#),
        ProblemCase(
            "a host name that is too long",
            yaml: base + "identity: {hostname: " + String(repeating: "n", count: 256) + "}\n",
            reports: "3:22: identity.hostname has 256 bytes, expected text of at most 255 bytes: shorten it"),
        ProblemCase(
            "a secret that is too short is not repeated",
            yaml: base + #"cookies: {secrets: ["00112233445566778899aabbccddeef"]}"#,
            reports: #"""
                3:21: an entry of cookies.secrets has the wrong form, expected 32 hexadecimal digits: make one with \#
                `openssl rand -hex 16`
                """#),
        ProblemCase(
            "secrets and a file of them",
            yaml: base + #"cookies: {secrets: ["00112233445566778899aabbccddeeff"], secret_file: s}"#,
            reports: #"""
                3:71: cookies.secret_file and cookies.secrets are both given, expected one: remove one
                """#),
        ProblemCase(
            "a rate limit without a rate, with a slip that is too large",
            yaml: base + "rate_limit: {slip: 11}",
            reports: #"""
                3:13: rate_limit.responses_per_second is missing: add responses_per_second: 20
                3:20: rate_limit.slip is "11", expected a whole number from 0 to 10: change it
                """#),
        ProblemCase(
            "limits out of range",
            yaml: base + "rate_limit: {responses_per_second: 0, slip: 11, ipv4_prefix: 33, ipv6_prefix: -1}",
            reports: #"""
                3:36: rate_limit.responses_per_second is "0", expected a whole number from 1 to 65535: change it
                3:45: rate_limit.slip is "11", expected a whole number from 0 to 10: change it
                3:62: rate_limit.ipv4_prefix is "33", expected a whole number from 0 to 32: change it
                3:79: rate_limit.ipv6_prefix is "-1", expected a whole number from 0 to 128: change it
                """#),
        ProblemCase(
            "networks that are none, have host bits, or come twice",
            yaml: #"""
                listen: ["192.0.2.53:53"]
                zones:
                  - origin: example.com
                    file: e.zone
                    allow: [office, 192.0.2.1/24, 192.0.2.0/24, 192.0.2.0/24, 198.51.100.0/24]
                    deny: [198.51.100.0/24, 203.0.113.0/33]
                """#,
            reports: #"""
                5:13: allow of zone "example.com" has "office", expected a network: write it like 192.0.2.0/24 or \#
                "2001:db8::/32"
                5:21: allow of zone "example.com" has "192.0.2.1/24", expected a network whose bits after the first 24 \#
                are zero: write 192.0.2.0/24
                5:49: allow of zone "example.com" has 192.0.2.0/24 twice, first at line 5: remove one
                6:12: zone "example.com" both allows and denies 198.51.100.0/24: remove one of them
                6:29: deny of zone "example.com" has "203.0.113.0/33", expected a network: write it like 192.0.2.0/24 \#
                or "2001:db8::/32"
                """#),
    ]
}
