/// Problems of load and regions.
extension ProblemCase {
    static let load: [ProblemCase] = [
        ProblemCase(
            "an unknown key, and values outside their ranges",
            yaml: base + "health: {load: {shed_abov: 90, shed_above: 0, back_below: 70%, step: 0, settle: 100ms}}",
            reports: #"""
                3:17: unknown key "shed_abov" in health.load, expected shed_above, back_below, step or settle: did you mean shed_above?
                3:44: health.load.shed_above is "0", expected a whole number from 2 to 1000 percent: change it
                3:59: health.load.back_below is "70%", expected a whole number from 1 to 999 percent: change it
                3:70: health.load.step is "0", expected a whole number from 1 to 100 percent: change it
                3:81: health.load.settle is "100ms", expected a duration from 1s to 10m: change it
                """#),
        ProblemCase(
            "clients that would come back before they are shed, for the node that it is for",
            yaml: base
                + twoNodes.replacing("8.68}}\n", with: "8.68}, health: {load: {shed_above: 60}}}\n", maxReplacements: 1)
                + "health: {load: {back_below: 60}}",
            reports: #"""
                4:101: the load of node "fra1" has back_below 60 and shed_above 60 percent, expected back_below to be less: change one of them
                """#),
        ProblemCase(
            "a capacity that is none",
            yaml: base + twoNodes.replacing("id: fra1,", with: "id: fra1, capacity: 0,"),
            reports: #"""
                4:26: capacity of node "fra1" is "0", expected a whole number from 1 to 1000000000: change it
                """#),
        ProblemCase(
            "regions of unknown nodes, of one, and of nodes of others",
            yaml: base + twoNodes
                + "regions: [{id: a, nodes: [fra2, nyc1]}, {id: b, nodes: [fra1]}, {id: c, nodes: [fra1, nyc1, nyc1]}]",
            reports: #"""
                6:27: region "a" names node "fra2", which is not among nodes (fra1, nyc1): add it under nodes or correct the spelling
                6:56: region "b" has one node, expected at least two, which back each other up: add one, or remove the region
                6:81: region "c" has node "fra1", which region "b" has too, expected each node in one region: remove it from one
                """#),
        ProblemCase(
            "a node twice, an id twice, a threshold beyond the whole",
            yaml: base + twoNodes
                + "regions: [{id: a, nodes: [fra1, fra1]}, {id: a, nodes: [fra1, nyc1]}, {id: c, threshold: 101}]",
            reports: #"""
                6:33: region "a" has node "fra1" twice, expected each node in one region: remove it from one
                6:46: region "a" is defined twice, first at line 6: remove or rename one
                6:71: nodes of region "c" is missing: add nodes: [fra1, ams1]
                6:90: threshold of region "c" is "101", expected a whole number from 1 to 100 percent: change it
                """#),
        ProblemCase(
            "capacities of some",
            yaml: base + twoNodes.replacing("id: fra1,", with: "id: fra1, capacity: 5,")
                + "regions: [{id: a, nodes: [fra1, nyc1]}]",
            reports: #"""
                6:26: region "a" has nodes with a capacity and nodes without (nyc1), expected a capacity for all or for none: add capacity to these nodes
                """#),
    ]
}
