import ConnectionLimits
import Testing

@Suite struct ConnectionPlacesTests {
    private typealias Places = ConnectionPlaces<String, String, Int>

    @Test("while there is room, no connection is closed")
    func room() {
        var places = Places(limit: 3, perClient: 2)
        let evicted = (0..<3).compactMap { places.admit($0, from: "client \($0)", in: "a").evicted }
        #expect(evicted.isEmpty)
        #expect(places.count == 3)
        #expect(places.occupants.sorted() == [0, 1, 2])
        #expect(places.count(in: "a") == 3)
        #expect(places.count(of: "client 1") == 1)
    }

    @Test("when all places are taken, the idlest connection of the most crowded network is closed")
    func crowded() {
        var places = Places(limit: 4, perClient: 4)
        let first = places.admit(1, from: "a1", in: "a").place
        _ = places.admit(2, from: "a2", in: "a")
        _ = places.admit(3, from: "a3", in: "a")
        _ = places.admit(4, from: "b1", in: "b")
        places.touch(first)
        let evicted = places.admit(5, from: "c1", in: "c").evicted
        #expect(evicted?.occupant == 2)
        #expect(evicted?.cause == .crowd)
        #expect(places.occupants.sorted() == [1, 3, 4, 5])
    }

    @Test("a newcomer that makes its network the most crowded closes a connection of that network")
    func ownNetwork() {
        var places = Places(limit: 4, perClient: 4)
        _ = places.admit(1, from: "b1", in: "b")
        _ = places.admit(2, from: "b2", in: "b")
        _ = places.admit(3, from: "a1", in: "a")
        _ = places.admit(4, from: "a2", in: "a")
        let evicted = places.admit(5, from: "a3", in: "a").evicted
        #expect(evicted?.occupant == 3)
        #expect(places.count(in: "b") == 2)
    }

    @Test("among equally crowded networks, the idlest connection of all is closed")
    func tie() {
        var places = Places(limit: 4, perClient: 4)
        let first = places.admit(1, from: "a1", in: "a").place
        _ = places.admit(2, from: "b1", in: "b")
        let third = places.admit(3, from: "a2", in: "a").place
        _ = places.admit(4, from: "b2", in: "b")
        places.touch(first)
        places.touch(third)
        let evicted = places.admit(5, from: "c1", in: "c").evicted
        #expect(evicted?.occupant == 2)
    }

    @Test("a client beyond its limit loses its own idlest connection, even if other networks are more crowded")
    func ownLimit() {
        var places = Places(limit: 10, perClient: 2)
        for id in 0..<6 { _ = places.admit(id, from: "a\(id)", in: "a") }
        let sixth = places.admit(6, from: "b1", in: "b").place
        _ = places.admit(7, from: "b1", in: "b")
        places.touch(sixth)
        let evicted = places.admit(8, from: "b1", in: "b").evicted
        #expect(evicted?.occupant == 7)
        #expect(evicted?.cause == .client)
        #expect(places.count == 8)
    }

    @Test(
        "a newcomer closes a connection of its own client at the limit, and of its own network if that is the largest")
    func own() {
        var places = Places(limit: 4, perClient: 2)
        for id in 0..<3 { _ = places.admit(id, from: "a\(id)", in: "a") }
        #expect(!places.costsItsOwn("a4", in: "a"), "there is room")
        _ = places.admit(3, from: "b1", in: "b")
        #expect(places.costsItsOwn("a4", in: "a"))
        #expect(!places.costsItsOwn("b2", in: "b"))
        _ = places.admit(4, from: "b1", in: "b")
        #expect(places.costsItsOwn("b1", in: "b"), "the client is at its limit")
        #expect(places.costsItsOwn("b2", in: "b"), "two and two: the newcomer's would have most")
        #expect(!places.costsItsOwn("c1", in: "c"))
    }

    @Test("with one place, the newcomer takes it")
    func onePlace() {
        var places = Places(limit: 1, perClient: 1)
        _ = places.admit(1, from: "a", in: "a")
        let first = places.admit(2, from: "b", in: "b").evicted
        let second = places.admit(3, from: "b", in: "b").evicted
        #expect(first?.occupant == 1)
        #expect(second?.cause == .client)
        #expect(places.occupants == [3])
    }

    @Test("a released place cannot be used or released again, even if its slot is reused")
    func staleness() {
        var places = Places(limit: 2, perClient: 2)
        let first = places.admit(1, from: "a", in: "a").place
        var hadPlace = [places.leave(first), places.leave(first)]
        _ = places.admit(2, from: "b", in: "b")
        places.touch(first)
        hadPlace.append(places.leave(first))
        #expect(hadPlace == [true, false, false])
        #expect(places.count == 1)
        #expect(places.count(in: "a") == 0)
    }

    @Test("ten thousand connections of 64 networks never close those of a small network")
    func siege() {
        var places = ConnectionPlaces<Int, Int, Int>(limit: 1_024, perClient: 64)
        let honest = (0..<15).map { places.admit(-1 - $0, from: -1, in: -1).place }
        for id in 0..<100_000 { _ = places.admit(id, from: id % 10_000, in: id % 64) }
        #expect(places.count == 1_024)
        #expect(places.count(in: -1) == honest.count)
    }

    @Test("it behaves as a naive model that looks at every connection", arguments: 0..<40)
    func model(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let (limit, perClient) = (Int.random(in: 1...24, using: &random), Int.random(in: 1...6, using: &random))
        var places = ConnectionPlaces<Int, Int, Int>(limit: limit, perClient: perClient)
        var model = NaivePlaces(limit: limit, perClient: perClient)
        var known: [Int: ConnectionPlaces<Int, Int, Int>.Place] = [:]
        let networks = Int.random(in: 1...8, using: &random)
        for id in 0..<4_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let client = Int.random(in: 0..<(networks * 3), using: &random)
                let (place, evicted) = places.admit(id, from: client, in: client % networks)
                known[id] = place
                let expected = model.admit(id, from: client, in: client % networks)
                #expect(evicted?.occupant == expected?.id)
                #expect(evicted?.cause.rawValue == expected?.cause)
            case 5..<9:
                guard let (id, place) = known.randomElement(using: &random) else { continue }
                places.touch(place)
                model.touch(id)
            default:
                guard let (id, place) = known.randomElement(using: &random) else { continue }
                let isOpen = model.open.contains { $0.id == id }
                let hadPlace = places.leave(place)
                #expect(hadPlace == isOpen)
                model.leave(id)
                known[id] = nil
            }
            guard places.occupants.sorted() == model.open.map(\.id).sorted() else {
                Issue.record("other connections are open after step \(id)")
                return
            }
        }
    }
}

/// Numbers that are the same for the same seed (Steele, Lea, Flood 2014).
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
