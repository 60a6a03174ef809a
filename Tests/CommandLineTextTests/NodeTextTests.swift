import CommandLineText
import FoundationEssentials
import ManagementTypes
import Testing

@Suite struct NodeTextTests {
    private static let node = NodeReport(
        id: "fra1", state: .drained, share: 0, ttl: 10, addresses: ["198.51.100.10", "2001:db8:10::1"],
        location: NodeLocation(latitude: 50.11, longitude: 8.68, region: "Hesse", country: "DE", continent: "EU"),
        slot: 3, version: 4, changedAt: Date(timeIntervalSince1970: 1_700_000_000), setBy: "ann: new disks",
        tookMicroseconds: 35.2)

    @Test("a node's line has its location, its state and who set it")
    func list() {
        #expect(
            [Self.node].text(.plain) == """
                node  state    share   TTL  place                        addresses                      changed                  by
                fra1  drained    0 %  10 s  Hesse, DE, EU (50.11, 8.68)  198.51.100.10, 2001:db8:10::1  2023-11-14 22:13:20 UTC  ann: new disks

                """)
    }

    @Test("an empty list prints a sentence")
    func none() {
        #expect([NodeReport]().text(.plain) == "no nodes\n")
    }

    @Test("a change reports when packets saw it")
    func change() {
        #expect(Self.node.changeText == "fra1 is drained; packets saw it after 35 µs\n")
    }

    @Test("slow start is told after a change, in the list and in the details")
    func slowStart() {
        var node = Self.node
        (node.state, node.share, node.setBy) = (.up, 1, nil)
        node.fullShareAt = Date(timeIntervalSinceNow: 60)
        #expect(
            node.changeText == "fra1 is up with 0.4 % of its clients, all of them in 60 s; packets saw it after 35 µs\n"
        )
        #expect([node].text(.plain).contains(" slow start\n"))
        #expect(
            node.text(.plain).contains(
                "\nslow start  the share grows for 60 s, then the node has all its clients\n"))
        node.fullShareAt = Date(timeIntervalSinceNow: -1)
        #expect(node.changeText == "fra1 is up; packets saw it after 35 µs\n")
    }
}
