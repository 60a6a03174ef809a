import ConnectionPlaces
import Testing

@Suite("Places of connections")
struct ConnectionPlacesTests {
    /// The places in a box: expectations cannot change a value.
    private final class Places {
        private var places: ConnectionPlaces<Int, Int, String>

        init(limit: Int, limitPerClient: Int) {
            places = ConnectionPlaces(limit: limit, limitPerClient: limitPerClient)
        }

        var count: Int { places.count }
        var all: [String] { places.all.sorted() }

        func admit(
            _ name: String, of client: Int, in crowd: Int
        ) -> (place: ConnectionPlaces<Int, Int, String>.Place, evicted: String?)? {
            places.admit(name, of: client, in: crowd)
        }

        func touch(_ place: ConnectionPlaces<Int, Int, String>.Place) { places.touch(place) }
        func setBusy(_ place: ConnectionPlaces<Int, Int, String>.Place, _ isBusy: Bool) {
            places.setBusy(place, isBusy)
        }
        func leave(_ place: ConnectionPlaces<Int, Int, String>.Place) -> Bool { places.leave(place) }
    }

    @Test("when all places are taken the most crowded network's idlest connection gives way")
    func crowded() throws {
        let places = Places(limit: 5, limitPerClient: 5)
        var held: [String: ConnectionPlaces<Int, Int, String>.Place] = [:]
        for (name, crowd) in [("a1", 1), ("a2", 1), ("a3", 1), ("b1", 2), ("b2", 2)] {
            held[name] = try #require(places.admit(name, of: crowd * 10, in: crowd)).place
        }
        places.touch(try #require(held["a1"]))
        #expect(places.admit("c1", of: 30, in: 3)?.evicted == "a2")
        // Now 1 and 2 are equally large: the idlest of both goes.
        #expect(places.admit("d1", of: 40, in: 4)?.evicted == "a3")
        #expect(places.admit("e1", of: 50, in: 5)?.evicted == "b1")
        #expect(places.count == 5 && places.all == ["a1", "b2", "c1", "d1", "e1"])
    }

    @Test("a crowd as large as the largest does not grow at the cost of others")
    func own() throws {
        let places = Places(limit: 4, limitPerClient: 4)
        for name in ["a1", "a2", "b1", "b2"] {
            _ = places.admit(name, of: name.hasPrefix("a") ? 1 : 2, in: name.hasPrefix("a") ? 1 : 2)
        }
        #expect(places.admit("b3", of: 3, in: 2)?.evicted == "b1")
    }

    @Test(
        "a client that has its share is refused, also where there is room, and nobody gives way to it",
        arguments: [3, 10])
    func client(limit: Int) throws {
        let places = Places(limit: limit, limitPerClient: 2)
        for name in ["x1", "y1", "x2"] { _ = places.admit(name, of: name.hasPrefix("x") ? 1 : 2, in: 1) }
        #expect(places.admit("x3", of: 1, in: 1) == nil)
        #expect(places.all == ["x1", "x2", "y1"])
    }

    @Test("busy connections keep their places, and when all are busy a newcomer gets none")
    func busy() throws {
        let places = Places(limit: 2, limitPerClient: 2)
        let first = try #require(places.admit("a", of: 1, in: 1)).place
        let second = try #require(places.admit("b", of: 2, in: 1)).place
        places.setBusy(first, true)
        #expect(places.admit("c", of: 3, in: 3)?.evicted == "b")
        places.setBusy(second, true)
        #expect(places.admit("d", of: 4, in: 4)?.evicted == "c")
        #expect(places.all == ["a", "d"])
    }

    @Test("one who has lost the place changes nothing by leaving, nor by being used")
    func late() throws {
        let places = Places(limit: 1, limitPerClient: 1)
        let first = try #require(places.admit("a", of: 1, in: 1)).place
        let second = try #require(places.admit("b", of: 2, in: 2)).place
        places.touch(first)
        #expect(!places.leave(first) && places.count == 1)
        #expect(places.leave(second) && places.count == 0)
    }

    @Test("it does what a plain list of connections would do", arguments: 1...20)
    func model(seed: Int) {
        var random = Numbers(state: UInt64(seed) &* 0x9e37_79b9_7f4a_7c15)
        var places = ConnectionPlaces<Int, Int, Int>(limit: 12, limitPerClient: 3)
        var plain = PlainPlaces(limit: 12, limitPerClient: 3)
        var held: [Int: ConnectionPlaces<Int, Int, Int>.Place] = [:]
        for connection in 0..<2_000 {
            let action = random.next(10)
            let any = plain.entries.isEmpty ? -1 : plain.entries[random.next(plain.entries.count)].connection
            if action < 5 {
                let (crowd, client) = (random.next(5), random.next(3))
                let admitted = places.admit(connection, of: crowd * 10 + client, in: crowd)
                let expected = plain.admit(connection, crowd * 10 + client, crowd)
                #expect((admitted == nil) == (expected == nil) && admitted?.evicted == expected?.evicted)
                held[connection] = admitted?.place
            } else if let place = held[any] {
                if action < 9 {
                    places.touch(place)
                    plain.touch(any)
                } else {
                    places.leave(place)
                    plain.entries.removeAll { $0.connection == any }
                }
            }
            #expect(places.count == plain.entries.count)
        }
        #expect(places.all.sorted() == plain.entries.map(\.connection).sorted())
    }
}

/// The same rule over a list in the order of use.
private struct PlainPlaces {
    var entries: [(connection: Int, client: Int, crowd: Int)] = []
    let limit: Int
    let limitPerClient: Int

    init(limit: Int, limitPerClient: Int) {
        self.limit = limit
        self.limitPerClient = limitPerClient
    }

    mutating func admit(_ connection: Int, _ client: Int, _ crowd: Int) -> (evicted: Int?, isIn: Bool)? {
        guard entries.count(where: { $0.client == client }) < limitPerClient else { return nil }
        var leaving: Int?
        if entries.count >= limit {
            var sizes: [Int: Int] = [crowd: 1]
            for entry in entries { sizes[entry.crowd, default: 0] += 1 }
            let largest = entries.map { sizes[$0.crowd, default: 0] }.max()
            leaving = entries.firstIndex { sizes[$0.crowd] == largest }
        }
        let evicted = leaving.map { entries.remove(at: $0).connection }
        entries.append((connection, client, crowd))
        return (evicted, true)
    }

    mutating func touch(_ connection: Int) {
        guard let index = entries.firstIndex(where: { $0.connection == connection }) else { return }
        entries.append(entries.remove(at: index))
    }
}

private struct Numbers {
    var state: UInt64

    mutating func next(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(truncatingIfNeeded: state >> 33) % limit
    }
}
