import IPNetworks
import Location
import Testing

private func prefix(_ text: String) throws -> IPPrefix { try #require(IPPrefix(text)) }

/// Place of an address, the slow way.
func place<A>(_ address: A, _ ranges: PlaceRanges<A>, _ places: PlaceTable) -> Place {
    places[Int(ranges.places[ranges.starts.lastIndex { $0 <= address } ?? 0])]
}

extension PlaceMap {
    func place(_ address: IPAddress) -> Place {
        switch address {
        case .v4(let bits): LocationTests.place(bits, v4, places)
        case .v6(let bits): LocationTests.place(bits, v6, places)
        }
    }

    func place(_ text: String) throws -> Place { place(try #require(IPAddress(text))) }
}

private let berlin = Place(
    coordinates: Coordinates(latitude: 52_520_000, longitude: 13_405_000), country: "DE", region: "Berlin",
    continent: "EU", city: "Berlin")
private let tokyo = Place(
    coordinates: Coordinates(latitude: 35_689_500, longitude: 139_691_700), country: "JP", continent: "AS",
    city: "Tokyo")

/// 16/8 and 2400::/16 are Berlin, 17/8 is Tokyo, the rest is unknown.
func databaseMap() -> PlaceMap {
    var v4 = PlaceRanges<UInt32>()
    v4.set(from: 16 << 24, place: 1)
    v4.set(from: 17 << 24, place: 2)
    v4.set(from: 18 << 24, place: 0)
    var v6 = PlaceRanges<UInt128>()
    v6.set(from: 0x2400 << 112, place: 1)
    v6.set(from: 0x2401 << 112, place: 0)
    return PlaceMap(places: PlaceTable([.unknown, berlin, tokyo]), v4: v4, v6: v6)
}

@Suite("Overrides of a database")
struct PlaceLayersTests {
    @Test("without overrides nothing changes")
    func nothingSaid() throws {
        var layers = PlaceLayers()
        #expect(layers.isEmpty)
        layers.add([])
        #expect(layers.isEmpty)
        let map = layers.applied(to: databaseMap())
        #expect(map.v4.starts == databaseMap().v4.starts)
        #expect(map.places.count == 3)
    }

    @Test("values that an override does not give stay those of the database")
    func partOfPlace() throws {
        var layers = PlaceLayers()
        layers.add([(try prefix("16.1.0.0/16"), PlaceStatement(country: "AT", word: "office"))])
        let map = layers.applied(to: databaseMap())
        var expected = berlin
        expected.country = "AT"
        expected.labels = ["office"]
        #expect(try map.place("16.1.2.3") == expected)
        #expect(try map.place("16.0.255.255") == berlin)
        #expect(try map.place("16.2.0.0") == berlin)
    }

    @Test("a complete override replaces the location of the database, and labels are not locations")
    func wholePlace() throws {
        var layers = PlaceLayers()
        layers.add([(try prefix("16.0.0.0/8"), PlaceStatement(labels: ["cidr:16.0.0.0/8"]))])
        layers.add([(try prefix("16.1.0.0/16"), PlaceStatement(isWhole: true))])
        let map = layers.applied(to: databaseMap())
        #expect(try map.place("16.1.0.0") == Place(labels: ["cidr:16.0.0.0/8"]))
    }

    @Test("for each value the longer prefix wins, then the later layer")
    func precedence() throws {
        var layers = PlaceLayers()
        layers.add([(try prefix("16.1.2.0/24"), PlaceStatement(country: "FR", city: "Lyon", word: "low"))])
        layers.add([
            (try prefix("16.0.0.0/8"), PlaceStatement(country: "AT", city: "Graz")),
            (try prefix("16.1.0.0/16"), PlaceStatement(country: "CH")),
            (try prefix("16.1.2.128/25"), PlaceStatement(word: "high")),
        ])
        let map = layers.applied(to: databaseMap())
        func seen(_ address: String) throws -> [String?] {
            let place = try map.place(address)
            return [place.country, place.city, place.labels.first]
        }
        #expect(try seen("16.0.0.0") == ["AT", "Graz", nil])
        #expect(try seen("16.1.0.0") == ["CH", "Graz", nil])
        #expect(try seen("16.1.2.0") == ["CH", "Graz", "low"])
        #expect(try seen("16.1.2.128") == ["CH", "Graz", "high"])
        #expect(try seen("16.1.3.0") == ["CH", "Graz", nil])
        #expect(try map.place("16.1.2.128").region == "Berlin")
    }

    @Test("labels of rules are combined and sorted, next to the operator's own")
    func labels() throws {
        var layers = PlaceLayers()
        var system = PlaceRanges<UInt32>()
        system.set(from: 16 << 24, place: 64500)
        system.set(from: 17 << 24, place: 64501)
        system.set(from: 18 << 24, place: 0)
        layers.add(
            v4: system, v6: .init(), statements: [64500: PlaceStatement(word: "partner", labels: ["asn:64500"])])
        layers.add([(try prefix("16.0.0.0/9"), PlaceStatement(word: "Vip"))])
        layers.add([
            (try prefix("16.0.0.0/12"), PlaceStatement(labels: [LabelNeeds.label(try prefix("16.0.0.0/12"))])),
            (try prefix("16.0.0.0/10"), PlaceStatement(labels: [LabelNeeds.label(try prefix("16.0.0.0/10"))])),
        ])
        let map = layers.applied(to: databaseMap())
        #expect(try map.place("16.0.0.1").labels == ["Vip", "asn:64500", "cidr:16.0.0.0/10", "cidr:16.0.0.0/12"])
        #expect(try map.place("16.127.0.0").labels == ["Vip", "asn:64500"])
        #expect(try map.place("16.128.0.0").labels == ["asn:64500", "partner"])
        #expect(try map.place("17.0.0.0") == tokyo)
    }

    @Test("an override that repeats the database adds no location and no leaf")
    func equalPlacesMerge() throws {
        var layers = PlaceLayers()
        layers.add([
            (try prefix("16.7.0.0/16"), PlaceStatement(coordinates: berlin.coordinates, country: "DE")),
            (
                try prefix("18.0.0.0/8"),
                PlaceStatement(
                    isWhole: true, coordinates: tokyo.coordinates, country: "JP", continent: "AS", city: "Tokyo")
            ),
            (try prefix("17.128.0.0/9"), PlaceStatement(isWhole: true)),
        ])
        let map = layers.applied(to: databaseMap())
        #expect(map.places.count == 3)
        let starts: [UInt32] = [0, 0x1000_0000, 0x1100_0000, 0x1180_0000, 0x1200_0000, 0x1300_0000]
        #expect(map.v4.starts == starts)
        #expect(try map.place("18.0.0.0") == tokyo)
        #expect(try map.place("17.128.0.0") == .unknown)
    }

    @Test("locations are numbered by size, not by the order of overrides")
    func numbers() throws {
        let said = [
            (try prefix("32.0.0.0/8"), PlaceStatement(country: "ZA")),
            (try prefix("64.0.0.0/2"), PlaceStatement(word: "a")),
            (try prefix("16.0.0.0/16"), PlaceStatement(word: "b")),
        ]
        var (first, second) = (PlaceLayers(), PlaceLayers())
        first.add(said)
        second.add(said.reversed())
        let (one, other) = (first.applied(to: databaseMap()), second.applied(to: databaseMap()))
        #expect(one.places[0] == .unknown)
        #expect(one.places[1] == Place(labels: ["a"]))
        #expect((0..<one.places.count).map { one.places[$0] } == (0..<other.places.count).map { other.places[$0] })
        #expect(one.v4.places == other.v4.places)
        #expect(one.v4.starts == other.v4.starts)
    }

    @Test("overrides can reach both ends of the address space")
    func ends() throws {
        var layers = PlaceLayers()
        for text in ["0.0.0.0/0", "255.255.255.255/32", "0.0.0.0/32", "::/0", "ffff::/16", "::/128"] {
            layers.add([(try prefix(text), PlaceStatement(labels: [text]))])
        }
        let map = layers.applied(to: databaseMap())
        #expect(try map.place("255.255.255.255").labels == ["0.0.0.0/0", "255.255.255.255/32"])
        #expect(try map.place("255.255.255.254").labels == ["0.0.0.0/0"])
        #expect(try map.place("0.0.0.0").labels == ["0.0.0.0/0", "0.0.0.0/32"])
        #expect(try map.place("0.0.0.1").labels == ["0.0.0.0/0"])
        #expect(try map.place("16.0.0.0").country == "DE")
        #expect(try map.place("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff").labels == ["::/0", "ffff::/16"])
        #expect(try map.place("::").labels == ["::/0", "::/128"])
    }
}
