import CFastPathABI
import DNSWire
import IPNetworks
import Location
import Resolution
import Steering
import Testing
import Zones

/// Where a client is: by its subnet, as far as the cap of its family, or by its whole address.
@Suite("Locations of clients")
struct LocateTests {
    /// 10.0.0.0/24 is halves of two places; so is 2001:db8:0:100::/56.
    private let model: ServingModel

    init() throws {
        var v4 = PlaceRanges<UInt32>()
        v4.set(from: 0x0a00_0000, place: 1)
        v4.set(from: 0x0a00_0080, place: 2)
        v4.set(from: 0x0a00_0100, place: 3)
        v4.set(from: 0x0a01_0000, place: 0)
        var v6 = PlaceRanges<UInt128>()
        let base = UInt128(0x2001_0db8_0000_0100) << 64
        v6.set(from: base, place: 4)
        v6.set(from: base + UInt128(0x80) << 64, place: 5)
        v6.set(from: base + UInt128(0x100) << 64, place: 0)
        let places = PlaceTable(
            [.unknown] + (1...5).map { Place(coordinates: Coordinates(latitude: Int32($0) << 20, longitude: 0)) })
        model = ServingModel(
            epoch: 1, digest: 1, zones: try ZoneSet([]), tailored: [], tailoredRecords: [],
            steering: try SteeringTables(keys: [], nodes: [], places: places),
            location: try LocationTable(v4: v4, v6: v6), places: places)
    }

    private func locate(_ client: String, _ subnet: String? = nil, ecs: UInt8 = 1) throws -> ClientLocation {
        let sent = try subnet.map { text in
            let prefix = try #require(IPPrefix(text))
            return ClientSubnet(address: prefix.address, sourceLength: UInt8(prefix.length))
        }
        let rule = nc_rule(ttl_min: 5, ttl_max: 60, answers: 1, all_down: 0, ecs: ecs, reserved: 0)
        return model.locate(client: address(client), subnet: sent, rule: rule)
    }

    @Test(
        "a subnet longer than the cap has the location of its block's first address, and the cap as its scope",
        arguments: [
            ("10.0.0.200/32", 1, 24, "10.0.0.0"), ("10.0.0.0/24", 1, 24, "10.0.0.0"),
            ("2002:a00:c8::/48", 1, 40, "2002:a00::"), ("2002:a00:c8::1/128", 1, 40, "2002:a00::"),
            ("2002:a00::/40", 1, 40, "2002:a00::"), ("2002:a00:100::/48", 3, 40, "2002:a00:100::"),
            ("2001:db8:0:1c0::/64", 4, 56, "2001:db8:0:100::"), ("2001:db8:0:100::/56", 4, 56, "2001:db8:0:100::"),
        ])
    func subnets(subnet: String, place: Int, scope: Int, leaf: String) throws {
        let found = try locate("192.0.2.1", subnet)
        #expect(found.place == place && found.scope == scope && found.isBySubnet)
        #expect(IPAddress(found.leaf) == address(leaf))
    }

    @Test(
        "a sender without a subnet is located by its full address",
        arguments: [
            ("10.0.0.200", 2), ("10.0.0.100", 1), ("2002:a00:c8::1", 2), ("2002:a00:64::1", 1),
            ("2001:db8:0:1c0::1", 5), ("2001:db8:0:140::1", 4),
        ])
    func senders(client: String, place: Int) throws {
        let found = try locate(client)
        #expect(found.place == place && !found.isBySubnet && found.replyScope == 0)
        #expect(try locate(client, "10.0.1.0/24", ecs: 0).place == place, "where the rule does not look at subnets")
        #expect(try locate(client, "0.0.0.0/0").place == place, "of length 0")
    }
}
