/// Problems of views, and of what names, pools and policies must have in common.
extension ProblemCase {
    static let views: [ProblemCase] = [
        ProblemCase(
            "a view without clients",
            yaml: base + #"""
                views:
                  - {id: overlay, addresses: overlay}
                """#,
            reports: #"""
                4:5: clients of view "overlay" is missing: add clients: [10.0.0.0/8]
                """#),
        ProblemCase(
            "a view with other addresses",
            yaml: base + #"""
                views:
                  - {id: overlay, clients: [10.0.0.0/8], addresses: private}
                """#,
            reports: #"""
                4:53: addresses of view "overlay" is "private", expected public or overlay: use public or overlay
                """#),
        ProblemCase(
            "a name with views where there are none",
            yaml: base + twoNodes + pool + policy + #"""
                tailored:
                  - {name: www.example.com, pool: web, policy: nearest, views: {zz: {pool: web}}}
                """#,
            reports: #"""
                9:64: views of tailored name "www.example.com" names views, but the configuration has none: add views: \#
                [{id: office, clients: [192.0.2.0/24]}] at the top level, or remove it
                """#),
        ProblemCase(
            "a network in two views",
            yaml: base + #"""
                views:
                  - {id: a, clients: [10.0.0.0/8]}
                  - {id: b, clients: [10.0.0.0/8]}
                """#,
            reports: #"""
                5:23: view "b" has 10.0.0.0/8, which is in view "a" at line 4, expected each network in one view: \#
                remove one
                """#),
        ProblemCase(
            "a capacity that is missing",
            yaml: base + twoNodes + #"""
                pools: [{id: web, nodes: [fra1]}]
                policies: [{id: p, weigh_by: capacity}]
                tailored: [{name: www.example.com, pool: web, policy: p}]
                """#,
            reports: #"""
                6:27: node "fra1" in pool "web" has no capacity, which policy "p" weighs by: write {id: fra1, \#
                capacity: 10}
                """#),
        ProblemCase(
            "a pin to nodes outside the pool",
            yaml: base + twoNodes + #"""
                pools: [{id: web, nodes: [fra1]}]
                policies: [{id: p, rules: [{countries: [US], pin: [nyc1]}]}]
                tailored: [{name: www.example.com, pool: web, policy: p}]
                """#,
            reports: #"""
                7:41: policy "p" pins country US to nyc1, but pool "web" of www.example.com. has none of them: add \#
                a node to the pool, or use another policy for the name
                """#),
        ProblemCase(
            "a pool that falls back on itself",
            yaml: base + twoNodes + #"""
                pools: [{id: web, nodes: [fra1]}]
                policies: [{id: p, when_all_down: {fallback: web}}]
                tailored: [{name: www.example.com, pool: web, policy: p}]
                """#,
            reports: #"""
                7:12: policy "p" falls back on pool "web", which is the pool of www.example.com. itself: name \#
                another, or use open
                """#),
        ProblemCase(
            "an unknown view of a name",
            yaml: base + twoNodes + #"""
                pools: [{id: web, nodes: [fra1]}]
                policies: [{id: p}]
                views: [{id: overlay, clients: [10.0.0.0/8]}]
                tailored: [{name: www.example.com, pool: web, policy: p, views: {overley: {pool: web}}}]
                """#,
            reports: #"""
                9:66: unknown key "overley" in views of tailored name "www.example.com", expected overlay: did you \#
                mean overlay?
                """#),
        ProblemCase(
            "a view of a name without anything",
            yaml: base + twoNodes + #"""
                pools: [{id: web, nodes: [fra1]}]
                policies: [{id: p}]
                views: [{id: overlay, clients: [10.0.0.0/8]}]
                tailored: [{name: www.example.com, pool: web, policy: p, views: {overlay: {}}}]
                """#,
            reports: #"""
                9:66: view "overlay" of tailored name "www.example.com" is empty, expected pool or policy: add one, \#
                or remove the view
                """#),
        ProblemCase(
            "an unknown pool of a view",
            yaml: base + twoNodes + #"""
                pools: [{id: web, nodes: [fra1]}]
                policies: [{id: p}]
                views: [{id: overlay, clients: [10.0.0.0/8]}]
                tailored: [{name: www.example.com, pool: web, policy: p, views: {overlay: {pool: ops}}}]
                """#,
            reports: #"""
                9:82: view "overlay" of tailored name "www.example.com" names pool "ops", which is not among pools \#
                (web): add it under pools or correct the spelling
                """#),
    ]
}
