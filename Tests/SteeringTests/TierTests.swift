import CFastPathABI
import Location
import Steering
import Testing

@Suite("Tiers and bands")
struct TierTests {
    private static func row(_ count: Int) -> [SteeringNode] {
        (0..<count).map { SteeringNode.at(Double($0), id: "n\($0 / 10)\($0 % 10)", slot: $0) }
    }

    @Test("a later tier answers only if no node of an earlier one is usable")
    func failover() throws {
        // The nearest are in the last tier.
        let sample = try Sample(Self.row(6), [.at(0)], .all(6, tiers: [2, 2, 1, 1, 0, 0]))
        #expect(sample.choose(answers: 6) == ["n04", "n05", "n02", "n03", "n00", "n01"])
        for (down, expected) in [(4, "n05"), (5, "n02"), (2, "n03"), (3, "n00")] {
            sample.set(down, NC_NODE_DOWN)
            #expect(sample.choose() == [expected])
            #expect(sample.select().isLocal)
        }
    }

    @Test("no later tier answers while a member of an earlier one is usable, in large pools too")
    func longTiers() throws {
        let sample = try Sample(Self.row(60), [.at(0)], .all(60, tiers: (0..<60).map { $0 < 30 ? 1 : 0 }))
        for expected in 0..<59 {
            let slot = try #require(sample.select().slots.first)
            #expect(slot >= 30 || expected >= 30)
            if let local = sample.fastPath() { #expect(local == [slot]) }
            sample.set(slot, NC_NODE_DOWN)
        }
    }

    @Test("a first band longer than a list is left to user space, which follows the weights")
    func longBand() throws {
        let weights = (0..<20).map { UInt16($0 % 4 + 1) }
        let sample = try Sample(
            Self.row(20), [.at(0)], .all(20, weights: weights, tolerance: Tolerance(kilometres: 5000)))
        #expect(sample.fastPath() == nil)
        #expect(sample.tables.list(table: 0, place: 1).pointee.count == 0)
        var counts = [Int](repeating: 0, count: 20)
        let clients = 50_000
        for leaf in 0..<clients {
            let choice = sample.select(leaf: UInt32(leaf))
            #expect(!choice.isAllDown && !choice.isDenied)
            counts[choice.slots[0]] += 1
        }
        for (count, weight) in zip(counts, weights) {
            #expect(abs(Double(count) / Double(clients) - Double(weight) / 50) < 0.01)
        }
    }

    @Test("a later band that does not fit a list is left out whole")
    func cutBand() throws {
        // Two alone, then a band of nine at the same place.
        let nodes =
            SteeringNode.row([1, 2]) + (2..<11).map { SteeringNode.at(30, id: "x\($0)", slot: $0) }
        let sample = try Sample(nodes, [.at(0)], .all(11))
        #expect(sample.tables.list(table: 0, place: 1).pointee.count == 2)
        #expect(sample.fastPath() == [0])
        sample.set(0, NC_NODE_DOWN)
        #expect(sample.fastPath() == [1])
    }

    @Test("weights for more members than a list holds are left to user space", arguments: [8, 9])
    func weighted(count: Int) throws {
        let sample = try Sample(Self.row(count), [.at(0)], .all(count, strategy: .weighted))
        #expect((sample.fastPath() == nil) == (count > 8))
        #expect(sample.choose(answers: 8).count == 8)
    }

    @Test("the pool's order continues after the list")
    func longOrder() throws {
        let sample = try Sample(Self.row(40).reversed(), [.at(0)], .all(40, strategy: .order))
        for expected in (0..<40).reversed() {
            #expect(sample.select().slots == [expected])
            sample.set(expected, NC_NODE_DOWN)
        }
    }

    @Test("a tier with fewer usable members than its minimum comes after the others")
    func minimum() throws {
        let sample = try Sample(Self.row(5), [.at(0)], .all(5, tiers: [0, 0, 0, 1, 1], tierMinimum: [2, 1]))
        #expect(sample.fastPath() == nil)
        #expect(sample.choose(answers: 2) == ["n00", "n01"])
        sample.set(0, NC_NODE_DOWN)
        #expect(sample.choose() == ["n01"])
        sample.set(1, NC_NODE_DOWN, ttl: 20)
        #expect(sample.choose() == ["n03"])
        #expect(sample.select().ttl == 20)
        sample.set(3, NC_NODE_DOWN)
        sample.set(4, NC_NODE_DOWN)
        #expect(sample.choose() == ["n02"])
        sample.set(2, NC_NODE_DOWN)
        #expect(sample.select().isAllDown)
        // The first tier has fewer than its minimum, and the other one needs none.
        #expect(sample.choose() == ["n03"])
    }

    @Test("a minimum of one has no effect")
    func minimumOfOne() throws {
        let sample = try Sample(Self.row(3), [.at(0)], .all(3, tiers: [0, 1, 1], tierMinimum: [1, 1]))
        #expect(sample.fastPath() == [0])
    }
}
