/// Problems of listen, control, state, fast_path and geo.
extension ProblemCase {
    static let server: [ProblemCase] = [
        ProblemCase(
            "listen as a single text",
            yaml: #"""
                listen: 192.0.2.53:53
                zones: [{origin: example.com, file: e.zone}]
                """#,
            reports: #"""
                1:9: listen is "192.0.2.53:53", expected a list: write listen: ["192.0.2.53:53", "[2001:db8::53]:53"]
                """#),
        ProblemCase(
            "listen without a value",
            yaml: #"""
                listen:
                zones: [{origin: example.com, file: e.zone}]
                """#,
            reports: #"""
                1:8: listen is empty, expected a list: write listen: ["192.0.2.53:53", "[2001:db8::53]:53"]
                """#),
        ProblemCase(
            "an empty listen list",
            yaml: #"""
                listen: []
                zones: [{origin: example.com, file: e.zone}]
                """#,
            reports: #"""
                1:9: listen is an empty list, expected at least one endpoint: write listen: ["192.0.2.53:53", \#
                "[2001:db8::53]:53"]
                """#),
        ProblemCase(
            "a mapping in listen",
            yaml: #"""
                listen: [{address: 192.0.2.53}]
                zones: [{origin: example.com, file: e.zone}]
                """#,
            reports: #"""
                1:10: an entry of listen is a mapping, expected an address and a port: write a single value
                """#),
        ProblemCase(
            "an endpoint without a port",
            yaml: #"""
                listen: [192.0.2.53]
                zones: [{origin: example.com, file: e.zone}]
                """#,
            reports: #"""
                1:10: listen has "192.0.2.53", expected an address and a port: write "192.0.2.53:53"
                """#),
        ProblemCase(
            "an IPv6 endpoint without a port",
            yaml: #"""
                listen: ["2001:db8::53"]
                zones: [{origin: example.com, file: e.zone}]
                """#,
            reports: #"""
                1:10: listen has "2001:db8::53", expected an address and a port: write "[2001:db8::53]:53"
                """#),
        ProblemCase(
            "an endpoint by host name",
            yaml: #"""
                listen: ["localhost:53"]
                zones: [{origin: example.com, file: e.zone}]
                """#,
            reports: #"""
                1:10: listen has "localhost:53", expected an address and a port: write it like "192.0.2.53:53" or \#
                "[2001:db8::53]:53"
                """#),
        ProblemCase(
            "port 0",
            yaml: #"""
                listen: ["192.0.2.53:0"]
                zones: [{origin: example.com, file: e.zone}]
                """#,
            reports: #"""
                1:10: listen has "192.0.2.53:0", expected a port from 1 to 65535: correct the port
                """#),
        ProblemCase(
            "a port above 65535",
            yaml: #"""
                listen: ["[2001:db8::53]:65536"]
                zones: [{origin: example.com, file: e.zone}]
                """#,
            reports: #"""
                1:10: listen has "[2001:db8::53]:65536", expected a port from 1 to 65535: correct the port
                """#),
        ProblemCase(
            "an endpoint twice, written differently",
            yaml: #"""
                listen: ["[2001:db8::53]:53", "[2001:db8:0::53]:53"]
                zones: [{origin: example.com, file: e.zone}]
                """#,
            reports: #"""
                1:31: listen has [2001:db8::53]:53 twice, first at line 1: remove one
                """#),
        ProblemCase(
            "seventeen endpoints",
            yaml: #"""
                listen: ["192.0.2.53:1", "192.0.2.53:2", "192.0.2.53:3", "192.0.2.53:4", "192.0.2.53:5", \#
                "192.0.2.53:6", "192.0.2.53:7", "192.0.2.53:8", "192.0.2.53:9", "192.0.2.53:10", "192.0.2.53:11", \#
                "192.0.2.53:12", "192.0.2.53:13", "192.0.2.53:14", "192.0.2.53:15", "192.0.2.53:16", "192.0.2.53:17"]
                zones: [{origin: example.com, file: e.zone}]
                """#,
            reports: #"""
                1:273: listen has 17 endpoints, expected at most 16: remove 1
                """#),
        ProblemCase(
            "a control path that a socket cannot have",
            yaml: base + #"""
                control: \#
                /xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                """#,
            reports: #"""
                3:10: control is a path of 108 bytes, expected at most 107: choose a shorter path
                """#),
        ProblemCase(
            "an empty path",
            yaml: base + #"state: """#,
            reports: #"""
                3:8: state is empty, expected a path: give it a value
                """#),
        ProblemCase(
            "a list as a path",
            yaml: base + #"geo: {database: [a, b]}"#,
            reports: #"""
                3:17: geo.database is a list, expected a path: write a single value
                """#),
        ProblemCase(
            "a line break in a path",
            yaml: base + #"""
                state: "a\nb"
                """#,
            reports: #"""
                3:8: state is "a\nb", expected a path on one line: remove the control characters
                """#),
        ProblemCase(
            "geo as a path",
            yaml: base + #"geo: /var/lib/city.mmdb"#,
            reports: #"""
                3:6: geo is "/var/lib/city.mmdb", expected a mapping: write it as {database: …, \#
                minimum_build: …, overrides: …, geofeed: …, asn_database: …, asns: …}
                """#),
        ProblemCase(
            "an unknown mode close to a known one",
            yaml: base + #"fast_path: {interfaces: [eth0], mode: natve}"#,
            reports: #"""
                3:39: fast_path.mode is "natve", expected auto, native, generic or off: did you mean native?
                """#),
        ProblemCase(
            "an unknown exit action",
            yaml: base + #"fast_path: {interfaces: [eth0], on_exit: stop}"#,
            reports: #"""
                3:42: fast_path.on_exit is "stop", expected keep or detach: use keep or detach
                """#),
        ProblemCase(
            "a staleness that is too short, and one without its TTL",
            yaml: base + #"fast_path: {mode: off, stale: {after: 1s}}"#,
            reports: #"""
                3:31: fast_path.stale.ttl is missing: add ttl: 5
                3:39: fast_path.stale.after is "1s", expected a duration from 5s to 1h: change it
                """#),
        ProblemCase(
            "a staleness and a TTL just below what is allowed",
            yaml: base + #"fast_path: {mode: off, stale: {after: 4999ms, ttl: 0}}"#,
            reports: #"""
                3:39: fast_path.stale.after is "4999ms", expected a duration from 5s to 1h: change it
                3:52: fast_path.stale.ttl is "0", expected a whole number from 1 to 3600 seconds: change it
                """#),
        ProblemCase(
            "a staleness and a TTL just above what is allowed",
            yaml: base + #"fast_path: {mode: off, stale: {after: 3600001ms, ttl: 3601}}"#,
            reports: #"""
                3:39: fast_path.stale.after is "3600001ms", expected a duration from 5s to 1h: change it
                3:55: fast_path.stale.ttl is "3601", expected a whole number from 1 to 3600 seconds: change it
                """#),
        ProblemCase(
            "a switch of the fast path that is no boolean",
            yaml: base + #"fast_path: {interfaces: [eth0], vlan: yes please}"#,
            reports: #"""
                3:39: fast_path.vlan is "yes please", expected true or false: write one of them
                """#),
        ProblemCase(
            "a budget of nothing",
            yaml: base + #"fast_path: {interfaces: [eth0], passed_per_second: 0}"#,
            reports: #"""
                3:52: fast_path.passed_per_second is "0", expected a whole number from 1 to 1000000000: change it
                """#),
        ProblemCase(
            "no interfaces",
            yaml: base + #"fast_path: {mode: auto}"#,
            reports: #"""
                3:12: fast_path.interfaces is missing: add interfaces: [eth0], or mode: off
                """#),
        ProblemCase(
            "an empty list of interfaces",
            yaml: base + #"fast_path: {interfaces: []}"#,
            reports: #"""
                3:25: fast_path.interfaces is an empty list, expected at least one interface: write interfaces: [eth0]
                """#),
        ProblemCase(
            "an interface name that is too long",
            yaml: base + #"fast_path: {interfaces: [abcdefghijklmnop]}"#,
            reports: #"""
                3:26: fast_path.interfaces has "abcdefghijklmnop", expected 1 to 15 bytes without spaces, "/" or \#
                ":": use a name that `ip link` shows
                """#),
        ProblemCase(
            "an interface twice",
            yaml: base + #"""
                fast_path:
                  interfaces:
                    - eth0
                    - eth0
                """#,
            reports: #"""
                6:7: fast_path.interfaces has eth0 twice, first at line 5: remove one
                """#),
    ]
}
