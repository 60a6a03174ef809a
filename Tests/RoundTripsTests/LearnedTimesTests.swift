import CFastPathABI
import IPNetworks
import Location
import RoundTrips
import Testing

/// Two places of Germany, one without a region, and one that is unknown.
private struct World {
    let places = PlaceTable([
        .unknown, Place(country: "DE", region: "Hesse", continent: "EU", labels: ["office"]),
        Place(country: "DE", region: "Berlin", continent: "EU"), Place(country: "SG", continent: "AS"),
    ])
    let table: LocationTable

    init() throws {
        var v4 = PlaceRanges<UInt32>()
        for (start, place) in [(0x1000_0000, 1), (0x1100_0000, 2), (0x1200_0000, 3), (0x1300_0000, 0)] {
            v4.set(from: UInt32(start), place: UInt32(place))
        }
        table = try LocationTable(v4: v4, v6: PlaceRanges<UInt128>())
    }

    func cell(_ network: UInt32, milliseconds: Double, _ connections: Int) -> RoundTripCell {
        RoundTripCell(
            network: .v4(network), bucket: Int(nc_rtt_bucket(UInt32(milliseconds * 1000))), connections: connections)
    }

    func fold(_ times: inout LearnedTimes, _ cells: [RoundTripCell], at now: Int64 = 0) {
        times.fold(cells, table, places, isKnown: { _ in true }, now: now)
    }
}

extension LearnedTimes {
    fileprivate func row(_ place: String) -> Row? { rows.first { $0.place == place } }
}

@Suite("Learned times")
struct LearnedTimesTests {
    private static let rules = LearnedTimes.Rules(minimumConnections: 20, marginPercent: 20)

    @Test("connections count for the region, the country and the labels of their network's location")
    func names() throws {
        let world = try World()
        var times = LearnedTimes(Self.rules, now: 0)
        let hesse = (0..<5).map { world.cell(0x1000_0000 + $0 << 8, milliseconds: 10, 6) }
        let berlin = (0..<5).map { world.cell(0x1100_0000 + $0 << 8, milliseconds: 30, 4) }
        world.fold(&times, hesse + berlin + [world.cell(0x2000_0000, milliseconds: 1, 7)])
        #expect(times.rows.map(\.place) == ["DE", "DE-Berlin", "DE-Hesse", "label:office"])
        #expect(times.rows.map(\.connections) == [50, 20, 30, 30])
        #expect(try abs(#require(times.row("DE-Hesse")?.median) - 10) < 0.4)
        #expect(try abs(#require(times.row("DE-Berlin")?.median) - 30) < 1)
        #expect(times.unplaced == 7, "their location is unknown")
    }

    @Test("a location with too few connections has no time and is not published")
    func tooFew() throws {
        let world = try World()
        var times = LearnedTimes(Self.rules, now: 0)
        world.fold(&times, (0..<4).map { world.cell(0x1200_0000 + $0 << 8, milliseconds: 10, 4) })
        let row = try #require(times.row("SG"))
        #expect(row.connections == 16 && row.median == nil && row.published == nil)
        #expect(!times.isDue && times.publish().isEmpty)
        world.fold(&times, [world.cell(0x1200_0000, milliseconds: 10, 4)])
        #expect(times.isDue)
        #expect(times.publish().keys.sorted() == ["SG"])
    }

    @Test("one network counts at most sixteen connections per update, in proportion to its times")
    func busyNetwork() throws {
        let world = try World()
        var times = LearnedTimes(Self.rules, now: 0)
        world.fold(
            &times,
            [
                world.cell(0x1200_0000, milliseconds: 300, 50_000), world.cell(0x1200_0000, milliseconds: 200, 50_000),
                world.cell(0x1200_0100, milliseconds: 10, 16), world.cell(0x1200_0200, milliseconds: 10, 16),
            ])
        let row = try #require(times.row("SG"))
        #expect(row.connections == 48)
        #expect(try abs(#require(row.median) - 10) < 0.5)
    }

    @Test(
        "a published time changes only if the median has moved by more than the margin",
        arguments: [(11.5, false), (13.0, true), (6.0, true)])
    func margin(next: Double, moves: Bool) throws {
        let world = try World()
        var times = LearnedTimes(Self.rules, published: ["SG": 10], now: 0)
        world.fold(&times, (0..<10).map { world.cell(0x1200_0000 + $0 << 8, milliseconds: next, 16) })
        #expect(times.isDue == moves)
        let published = try #require(times.publish()["SG"])
        #expect(moves ? abs(published - next) < 0.5 : published == 10)
        #expect(!times.isDue, "what was just published is not due again")
    }

    @Test("short times must move by two milliseconds")
    func floor() throws {
        let world = try World()
        var times = LearnedTimes(Self.rules, published: ["SG": 1], now: 0)
        world.fold(&times, (0..<10).map { world.cell(0x1200_0000 + $0 << 8, milliseconds: 2.8, 16) })
        #expect(!times.isDue)
    }

    @Test("a published time is kept for a week after its last connection")
    func memory() throws {
        let world = try World()
        var times = LearnedTimes(Self.rules, now: 0)
        world.fold(&times, (0..<10).map { world.cell(0x1200_0000 + $0 << 8, milliseconds: 10, 10) })
        #expect(times.publish().count == 1)
        world.fold(&times, [], at: LearnedTimes.memory - 3600)
        #expect(times.row("SG")?.median == nil && !times.isDue)
        world.fold(&times, [], at: LearnedTimes.memory + 2 * 3600)
        #expect(times.isDue && times.publish().isEmpty)
        #expect(!times.isDue && times.rows.isEmpty)
    }

    @Test("locations that a new database does not know are no longer published")
    func otherPlaces() throws {
        var times = LearnedTimes(Self.rules, published: ["SG": 10, "DE-Hessen": 5], now: 0)
        times.usePlaces { $0 == "SG" }
        #expect(times.isDue && times.publish() == ["SG": 10])
    }

    @Test("names that a latency file cannot hold are left out")
    func unwritable() throws {
        var v4 = PlaceRanges<UInt32>()
        v4.set(from: 0x1000_0000, place: 1)
        let table = try LocationTable(v4: v4, v6: PlaceRanges<UInt128>())
        let places = PlaceTable([.unknown, Place(country: "KR", region: "Seoul, City", labels: ["asn:64500", "a,b"])])
        var times = LearnedTimes(Self.rules, now: 0)
        let cell = RoundTripCell(network: .v4(0x1000_0000), bucket: 40, connections: 3)
        times.fold([cell], table, places, isKnown: { _ in true }, now: 0)
        #expect(times.rows.map(\.place) == ["KR", "asn:64500"])
    }

    @Test("written lines are read back, and others are skipped")
    func lines() {
        let times = ["DE-Hesse": 4.5, "DE": 9.0, "SG": 60_000]
        let text = LatencyLines.text(node: "fra1", times)
        #expect(text.hasSuffix("\nDE,fra1,9.0\nDE-Hesse,fra1,4.5\nSG,fra1,60000.0\n"))
        #expect(LatencyLines.times(node: "fra1", in: text + "FR,nyc1,3\nbad\nUS,fra1,soon\n") == times)
    }

    @Test("a file that is not a file of learned times is not replaced")
    func own() {
        #expect(LatencyLines.isOwn(LatencyLines.text(node: "fra1", ["DE": 1])) && LatencyLines.isOwn(""))
        for text in ["DE,fra1,9.0\n", "@ 300 IN SOA a b 1 2 3 4 5\n", "# place,node,milliseconds\n", "\n"] {
            #expect(!LatencyLines.isOwn(text), "\(text)")
        }
    }
}
