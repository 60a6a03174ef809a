import CFastPathABI
import IPNetworks
import Location
import Steering
import Testing

/// What a share moves, and what it leaves alone.
@Suite("Shares and selection")
struct ShareTests {
    private static let count = 12
    private static let leaves: Range<UInt32> = 0..<600

    private static func sample(_ strategy: Strategy, _ numbers: inout Numbers) throws -> Sample {
        let nodes = (0..<count).map { index in
            SteeringNode(id: "node-\(index)", slot: index, addresses: [.v4(1)], coordinates: numbers.coordinates())
        }
        let places = (0..<10).map { _ in Place(coordinates: numbers.coordinates()) }
        let tolerance = Tolerance(percent: strategy == .nearest ? 30 : 0)
        return try Sample(nodes, places, .all(count, tolerance: tolerance, strategy: strategy))
    }

    private func choices(_ sample: Sample) -> [String] {
        Self.leaves.map { leaf in
            sample.choose(place: Int(leaf) % (sample.places.count - 1) + 1, leaf: leaf)[0]
        }
    }

    @Test("lowering one node's share moves clients of that node only, and raising it brings the same ones back")
    func onlyWhatMust() throws {
        var numbers = Numbers(71)
        for strategy in [Strategy.nearest, .weighted, .stepped, .linear] {
            let sample = try Self.sample(strategy, &numbers)
            var (left, returned) = (0, 0)
            for _ in 0..<12 {
                // The others have shares of their own.
                for slot in 0..<Self.count {
                    sample.set(slot, NC_NODE_DEGRADED, share: .random(in: 100...256, using: &numbers))
                }
                let slot = Int.random(in: 0..<Self.count, using: &numbers)
                let id = sample.nodes[slot].id
                var earlier: [String]?
                for share in [256, 200, 128, 40, 1] as [UInt32] {
                    sample.set(slot, NC_NODE_DEGRADED, share: share)
                    let now = choices(sample)
                    for (before, after) in zip(earlier ?? now, now) where before != after {
                        #expect(before == id, "a client of \(before) went to \(after), though \(id) sheds")
                        left += 1
                    }
                    earlier = now
                }
                for share in [40, 128, 200, 256] as [UInt32] {
                    sample.set(slot, NC_NODE_DEGRADED, share: share)
                    let now = choices(sample)
                    for (before, after) in zip(earlier ?? now, now) where before != after {
                        #expect(after == id, "a client went to \(after), though \(id) takes back")
                        returned += 1
                    }
                    earlier = now
                }
            }
            #expect(left > 500 && left == returned, "\(strategy): \(left) left, \(returned) came back")
        }
    }

    @Test("a node keeps the part of its clients that is its share, and of those that no node admits")
    func part() throws {
        var numbers = Numbers(72)
        let sample = try Self.sample(.nearest, &numbers)
        let whole = choices(sample)
        for share in [230, 128, 26] as [UInt32] {
            for slot in 0..<Self.count { sample.set(slot, NC_NODE_DEGRADED, share: share) }
            let kept = zip(whole, choices(sample)).count { $0 == $1 }
            // A client that no candidate admits gets the first one.
            let part = Double(share) / 256
            let expected = part + (0..<Self.count).reduce(1) { rest, _ in rest * (1 - part) }
            #expect(abs(Double(kept) / Double(whole.count) - expected) < 0.07, "\(share): \(kept) of \(whole.count)")
        }
    }
}
