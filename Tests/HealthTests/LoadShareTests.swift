import Health
import Testing

@Suite("Shares that follow the load") struct LoadShareTests {
    /// A node whose load follows its share: after a delay, and then as slowly as the time constant says.
    struct Plant {
        var share: LoadShare
        let rules: LoadRules
        /// Load at the whole share, in percent of the capacity, by second.
        let demand: (Int64) -> Double
        /// Seconds.
        var delay = 0
        /// Seconds; 0: at once.
        var lag = 0.0
        /// Seconds between reports.
        var every: Int64 = 1

        private(set) var load = 0.0
        private(set) var now: Int64 = 0
        /// Of each second.
        private(set) var shares: [Int]
        private(set) var loads: [Double] = []

        init(
            _ rules: LoadRules, delay: Int = 0, lag: Double = 0, every: Int64 = 1,
            demand: @escaping (Int64) -> Double
        ) {
            self.rules = rules
            self.demand = demand
            (self.delay, self.lag, self.every) = (delay, lag, every)
            share = LoadShare(at: at(0))
            shares = [256]
            load = demand(0)
        }

        mutating func run(_ seconds: Int) {
            for _ in 0..<seconds {
                now += 1
                let felt = shares[max(0, shares.count - 1 - delay)]
                let goal = demand(now) * Double(felt) / 256
                load += (goal - load) * (lag == 0 ? 1 : 1 / (lag + 1))
                if now % every == 0, let sample = LoadSample(load: load, capacity: 100, at: at(now)) {
                    share.take(sample)
                }
                share.advance(to: at(now), by: rules, isServing: true)
                shares.append(share.share)
                loads.append(load)
            }
        }

        /// How often the share changed its direction.
        var turns: Int {
            let signs = zip(shares, shares.dropFirst()).map { ($1 - $0).signum() }.filter { $0 != 0 }
            return zip(signs, signs.dropFirst()).count { $0 != $1 }
        }
    }

    static let rules = LoadRules(shedAbove: 90, backBelow: 70, step: 13, settleMilliseconds: 15_000)

    @Test("below the threshold no clients are shed", arguments: [0.0, 50, 89.9])
    func enough(demand: Double) {
        var plant = Plant(Self.rules) { _ in demand }
        plant.run(3_600)
        #expect(plant.shares.allSatisfy { $0 == 256 })
    }

    @Test("above the threshold clients are shed step by step, until the load is between both thresholds")
    func shedding() {
        var plant = Plant(Self.rules) { _ in 160 }
        plant.run(600)
        #expect(plant.shares.last == 256 - 9 * 13)
        #expect(plant.loads.last == 160.0 * 139 / 256)
        let steps = zip(plant.shares, plant.shares.dropFirst()).map { $0 - $1 }.filter { $0 != 0 }
        #expect(steps == Array(repeating: 13, count: 9))
    }

    @Test("when the load falls clients return as gradually, up to the whole share")
    func back() {
        var plant = Plant(Self.rules) { $0 <= 1_000 ? 200 : 75 }
        plant.run(1_000)
        #expect(plant.shares.last == 256 - 11 * 13)
        plant.run(1_000)
        #expect(plant.shares.last == 256)
        #expect(plant.turns == 1)
        #expect(zip(plant.shares, plant.shares.dropFirst()).allSatisfy { abs($0 - $1) <= 13 })
    }

    @Test("the share is never 0, at any load")
    func floor() {
        var plant = Plant(Self.rules) { _ in 1e9 }
        plant.run(3_600)
        #expect(plant.shares.last == 1)
        #expect(plant.shares.allSatisfy { $0 >= 1 })
    }

    @Test(
        "the share settles with the load between the thresholds, even if the load follows late",
        arguments: 0..<400)
    func rest(seed: UInt64) {
        var numbers = SeededNumbers(seed)
        let back = Int.random(in: 20...80, using: &numbers)
        let rules = LoadRules(
            shedAbove: back + Int.random(in: 10...30, using: &numbers), backBelow: back,
            step: Int.random(in: 1...40, using: &numbers),
            settleMilliseconds: Int64.random(in: 5...30, using: &numbers) * 1_000)
        let demand = Double.random(in: 10...400, using: &numbers)
        var plant = Plant(
            rules, delay: Int.random(in: 0...240, using: &numbers), lag: .random(in: 0...120, using: &numbers),
            every: .random(in: 1...30, using: &numbers), demand: { _ in demand })
        plant.run(8 * 3_600)
        let rest = plant.shares.suffix(3_600)
        let text = "demand \(demand), \(rules), delay \(plant.delay), lag \(plant.lag), every \(plant.every)"
        #expect(Set(rest).count == 1, "\(text): \(Set(rest).sorted())")
        let load = plant.loads.last ?? 0
        #expect(load <= Double(rules.shedAbove) + 0.01 || rest.last == 1, "\(text): load \(load)")
        #expect(rest.last == 256 || load >= Double(rules.backBelow) - demand / 256, "\(text): load \(load)")
        #expect(plant.turns <= 8, "\(text): \(plant.turns) turns")
        let steps = zip(plant.shares, plant.shares.dropFirst()).map { abs($0 - $1) }
        #expect((steps.max() ?? 0) <= rules.step)
    }

    @Test("a load that oscillates around a threshold does not move the share back and forth")
    func trembling() {
        var numbers = SeededNumbers(5)
        let noise = (0...7_200).map { _ in Double.random(in: -4...4, using: &numbers) }
        var plant = Plant(Self.rules) { 90 + noise[Int($0)] }
        plant.run(7_200)
        #expect(plant.turns <= 2)
        #expect(Set(plant.shares.suffix(3_600)).count == 1)
    }

    @Test("a node that stops reporting keeps its share for ten minutes, then regains the whole")
    func silence() {
        var plant = Plant(Self.rules) { _ in 160 }
        plant.run(600)
        var share = plant.share
        func advance(to seconds: ClosedRange<Int64>) {
            for second in seconds { share.advance(to: at(second), by: Self.rules, isServing: true) }
        }
        advance(to: 601...1_199)
        #expect(share.share == 139)
        #expect(share.ttl(Self.rules, at: at(1_199)) == nil)
        advance(to: 1_200...1_200)
        #expect(share.share == 152)
        #expect(share.ttl(Self.rules, at: at(1_200)) == 15)
        advance(to: 1_201...1_500)
        #expect(share.share == 256)
    }

    @Test("the load of a node without clients is ignored")
    func notServing() {
        var plant = Plant(Self.rules) { _ in 160 }
        plant.run(600)
        var share = plant.share
        for second in Int64(601)...900 {
            LoadSample(load: 0, capacity: 100, at: at(second)).map { share.take($0) }
            share.advance(to: at(second), by: Self.rules, isServing: false)
        }
        #expect(share.share == 139)
        // Nor does what was reported then decide when it serves again.
        share.advance(to: at(914), by: Self.rules, isServing: true)
        #expect(share.share == 139)
    }

    @Test("a report with an impossible load is ignored", arguments: [-1, Double.nan, .infinity])
    func nonsense(number: Double) {
        #expect(LoadSample(load: number, at: at(0)) == nil)
        #expect(LoadSample(load: 1, capacity: number, at: at(0)) == nil)
        #expect(LoadSample(load: 1, capacity: 0, at: at(0)) == nil)
    }

    @Test("an older report does not replace a newer one")
    func older() {
        var share = LoadShare(at: at(0))
        for (load, second) in [(50.0, Int64(20)), (500, 10)] {
            LoadSample(load: load, capacity: 100, at: at(second)).map { share.take($0) }
        }
        #expect(share.sample?.load == 50)
    }
}

/// SplitMix64, as in `Tests/SteeringTests`.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
