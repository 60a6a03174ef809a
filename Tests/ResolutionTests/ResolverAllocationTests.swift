import CAllocationCounter
import DNSWire
import Resolution
import Testing
import Zones

@Suite("Allocations of answers")
struct ResolverAllocationTests {
    private static let client = address("203.0.113.9")

    /// Allocations for 1,000 answers to `packet`, after the first have grown the reply's storage.
    private static func count(_ packet: [UInt8], _ resolver: Resolver<NoTailored>) -> UInt {
        var reply: [UInt8] = []
        return packet.withUnsafeBytes { packet in
            for _ in 0..<3 { _ = resolver.respond(to: packet, from: client, over: .udp, into: &reply) }
            let before = nc_allocation_count()
            for _ in 0..<1000 { _ = resolver.respond(to: packet, from: client, over: .udp, into: &reply) }
            return nc_allocation_count() - before
        }
    }

    @Test("the counter counts allocations")
    func counter() {
        let before = nc_allocation_count()
        let array = Array(repeating: before, count: 100)
        #expect(nc_allocation_count() > before && array.count == 100)
    }

    @Test(
        "data, aliases, wildcards, referrals and negative answers allocate nothing",
        arguments: [
            ("static.example.com", RecordType.a), ("alias2.example.com", .a), ("any.wild.example.com", .a),
            ("x.child.example.com", .a), ("missing.example.com", .a), ("static.example.com", .mx),
            ("host.dname.example.com", .a), ("example.com", .mx), ("example.com", .ns), ("www.example.org", .a),
        ])
    func unsigned(name: String, type: RecordType) throws {
        let resolver = Resolver(zones: try testZones(), tailored: NoTailored())
        #expect(Self.count(Query(name: name, type: type).bytes, resolver) == 0)
        #expect(Self.count(Query(name: name, type: type).with(dnssecOK: true).bytes, resolver) == 0)
    }

    @Test(
        "signed answers and proofs allocate nothing",
        arguments: ["ns1.example", "a.z.w.example", "a.c.x.w.example", "mc.c.example", "y.w.example"])
    func signed(name: String) throws {
        for zone in [try SignedZone.nsec(), try SignedZone.nsec3()] {
            let resolver = Resolver(zones: try ZoneSet([zone]), tailored: NoTailored())
            for type in [RecordType.a, .mx, .ds] {
                #expect(Self.count(Query(name: name, type: type).with(dnssecOK: true).bytes, resolver) == 0)
            }
        }
    }
}
