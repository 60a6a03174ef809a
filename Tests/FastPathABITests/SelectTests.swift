import CFastPathABI
import Glibc
import Testing

/// Node words of a test.
private final class Words {
    /// The set that these tests select by.
    static let set = NC_WORDS_V6.rawValue
    let pointer: UnsafeMutablePointer<nc_words>

    init() {
        pointer = .allocate(capacity: 1)
        UnsafeMutableRawPointer(pointer).initializeMemory(
            as: UInt8.self, repeating: 0, count: MemoryLayout<nc_words>.size)
    }

    deinit { pointer.deallocate() }

    func set(_ slot: UInt16, _ state: nc_node_state, share: UInt32 = 256, ttl: UInt32 = NC_TTL_STABLE) {
        for set in 0..<3 as Range<UInt32> {
            // Those of the other sets say otherwise.
            let word = nc_node_word(state.rawValue, share, ttl, 3)
            nc_words_node(pointer, set, UInt32(slot)).pointee = set == Self.set ? word : ~word
        }
    }

    func setID(_ slot: UInt16, _ hash: UInt64) { nc_words_id_hash(pointer, UInt32(slot)).pointee = hash }

    func state(_ slot: UInt16) -> UInt32 { nc_word_state(nc_words_node(pointer, Self.set, UInt32(slot)).pointee) }
    func share(_ slot: UInt16) -> UInt32 { nc_word_share(nc_words_node(pointer, Self.set, UInt32(slot)).pointee) }
    func ttl(_ slot: UInt16) -> UInt32 { nc_word_ttl(nc_words_node(pointer, Self.set, UInt32(slot)).pointee) }
    func id(_ slot: UInt16) -> UInt64 { nc_words_id_hash(pointer, UInt32(slot)).pointee }
}

/// What a selection looks at.
private struct Choice {
    struct Candidate: Hashable {
        var slot: UInt16
        var weight: UInt16 = 1
        var band: UInt8 = 0
    }

    var list: [Candidate] = []
    var backstop: [UInt16] = []
    /// Which of the backstop's candidates count.
    var behind: UInt16 = 0xffff
    var isComplete = false
    var client = nc_client(leaf: .v4(0xc633_6400), name_hash: 0x1234)
    var rule = nc_rule(ttl_min: 10, ttl_max: 60, answers: 1, all_down: 0, ecs: 1, reserved: 0)
    var census: UInt64 = 1

    struct Outcome: Equatable {
        var outcome: UInt32
        var slots: [UInt16] = []
        var ttl: UInt32 = 0

        static let exhausted = Outcome(outcome: NC_EXHAUSTED.rawValue)
    }

    var hasBands: Bool { Set(list.map(\.band)).count < list.count }

    var cList: nc_list {
        var result = nc_list()
        result.count = UInt8(list.count)
        result.flags = UInt8((hasBands ? NC_LIST_BANDS.rawValue : 0) | (isComplete ? NC_LIST_COMPLETE.rawValue : 0))
        // Behind the backstop's end nobody counts.
        result.behind = behind & UInt16(truncatingIfNeeded: (1 << backstop.count) - 1)
        for (index, candidate) in list.enumerated() {
            withUnsafeMutableBytes(of: &result.slot) {
                $0.storeBytes(of: candidate.slot, toByteOffset: 2 * index, as: UInt16.self)
            }
            withUnsafeMutableBytes(of: &result.weight) {
                $0.storeBytes(of: candidate.weight, toByteOffset: 2 * index, as: UInt16.self)
            }
            withUnsafeMutableBytes(of: &result.band) { $0[index] = candidate.band }
        }
        return result
    }

    var cBackstop: nc_backstop {
        var result = nc_backstop()
        for (index, slot) in backstop.enumerated() {
            withUnsafeMutableBytes(of: &result.slot) {
                $0.storeBytes(of: slot, toByteOffset: 2 * index, as: UInt16.self)
            }
        }
        return result
    }

    /// What the code makes of it: at once, or by the walk alone.
    func chosen(_ words: Words, byWalk: Bool = false) -> Outcome {
        var (list, backstop, client, rule, result) = (cList, cBackstop, client, rule, nc_selection())
        if byWalk {
            nc_select_walk(&list, &backstop, words.pointer, Words.set, &client, &rule, census, &result)
        } else {
            nc_select(&list, &backstop, words.pointer, Words.set, &client, &rule, census, &result)
        }
        guard result.outcome != NC_EXHAUSTED.rawValue else { return .exhausted }
        let slots = withUnsafeBytes(of: result.slot) { bytes in
            (0..<Int(result.count)).map { bytes.load(fromByteOffset: 2 * $0, as: UInt16.self) }
        }
        return Outcome(outcome: result.outcome, slots: slots, ttl: result.ttl)
    }

    // MARK: - From the description

    var clientHash: UInt64 {
        let hash = Reference.step(
            Reference.step(0x6e65_6172_6361_7374, client.leaf.hi), client.leaf.lo ^ UInt64(client.leaf.family))
        return Reference.mix(hash ^ client.name_hash)
    }

    func hash(_ slot: UInt16, _ words: Words) -> UInt64 { Reference.mix(clientHash ^ words.id(slot)) }

    /// -log2(u)/weight, in floating point.
    func rank(_ candidate: Candidate, _ words: Words) -> Double {
        let u = (Double(hash(candidate.slot, words) >> 16 & 0xffff_ffff) + 1) / 4_294_967_296
        return -log2(u) / Double(candidate.weight)
    }

    func expected(_ words: Words) -> Outcome {
        let order =
            hasBands
            ? list.sorted { $0.band == $1.band ? rank($0, words) < rank($1, words) : $0.band < $1.band } : list
        let walk = order.map(\.slot) + backstop.indices.filter { behind >> $0 & 1 == 1 }.map { backstop[$0] }
        let answers = Int(rule.answers)
        var (taken, usable, unknown, ttl): ([UInt16], [UInt16], [UInt16], UInt32) = ([], [], [], 0xff_ffff)
        for slot in walk where taken.count < answers {
            ttl = min(ttl, words.ttl(slot))
            switch nc_node_state(words.state(slot)) {
            case NC_NODE_UP, NC_NODE_DEGRADED:
                usable.append(slot)
                if hash(slot, words) & 255 < UInt64(words.share(slot)) { taken.append(slot) }
            case NC_NODE_UNKNOWN: unknown.append(slot)
            default: break
            }
        }
        if taken.count < answers, !isComplete, census != 0 { return .exhausted }
        var outcome = NC_CHOSEN.rawValue
        if taken.isEmpty {
            if !usable.isEmpty {
                taken = usable
            } else if !isComplete, list.count < answers {
                return .exhausted
            } else if !unknown.isEmpty {
                taken = unknown
            } else if rule.all_down == 0 {
                (taken, ttl, outcome) = (walk, 0, NC_CHOSEN_ALL_DOWN.rawValue)
            } else {
                return .exhausted
            }
        }
        return Outcome(
            outcome: outcome, slots: Array(taken.prefix(answers)), ttl: max(rule.ttl_min, min(rule.ttl_max, ttl)))
    }
}

@Suite("Selection")
struct SelectTests {
    private static func random(_ random: inout Numbers, _ words: Words) -> Choice {
        var choice = Choice()
        let slots = (0..<64 as Range<UInt16>).shuffled(using: &random)
        let isBanded = Bool.random(using: &random)
        var band: UInt8 = 0
        for index in 0..<Int.random(in: 0...8, using: &random) {
            if index > 0, !isBanded || Int.random(in: 0..<3, using: &random) == 0 { band += 1 }
            let weight = ([1, 2, 100, .max] as [UInt16]).randomElement(using: &random) ?? 1
            choice.list.append(.init(slot: slots[index], weight: weight, band: band))
        }
        choice.backstop = Array(slots[8..<8 + Int.random(in: 0...16, using: &random)])
        choice.behind = UInt16(truncatingIfNeeded: random.next() | random.next())
        choice.isComplete = Bool.random(using: &random)
        choice.census = ([0, 1, 1 << 32] as [UInt64]).randomElement(using: &random) ?? 0
        choice.client.leaf =
            Bool.random(using: &random)
            ? .v4(UInt32(truncatingIfNeeded: random.next())) : .v6(random.next(), random.next())
        choice.client.name_hash = random.next()
        choice.rule.answers = UInt8.random(in: 1...8, using: &random)
        choice.rule.all_down = UInt8.random(in: 0...1, using: &random)
        return choice
    }

    @Test(
        "is what its description says, for random lists, states, shares and rules",
        arguments: 1...8 as ClosedRange<UInt64>)
    func random(seed: UInt64) {
        var random = Numbers(seed)
        let words = Words()
        for slot in 0..<64 as Range<UInt16> { words.setID(slot, random.next()) }
        let states = [
            NC_NODE_UNKNOWN, NC_NODE_UP, NC_NODE_DEGRADED, NC_NODE_DOWN, NC_NODE_DRAINED, NC_NODE_MAINTENANCE,
        ]
        var (local, outcomes): (Int, [UInt32: Int]) = (0, [:])
        for _ in 0..<5000 {
            // From all up to all down.
            let calm = Int.random(in: 0...4, using: &random)
            for slot in 0..<64 as Range<UInt16> {
                let isUp = Int.random(in: 0..<4, using: &random) < calm
                let state = isUp ? NC_NODE_UP : (calm == 0 ? states[3...] : states[...]).randomElement(using: &random)
                let share = ([0, 1, 128, 255, 256] as [UInt32]).randomElement(using: &random) ?? 256
                let ttl = ([0, 5, 10, 30, 60, 61, NC_TTL_STABLE] as [UInt32]).randomElement(using: &random) ?? 0
                words.set(slot, state ?? NC_NODE_UP, share: isUp && calm > 2 ? 256 : share, ttl: ttl)
            }
            let choice = Self.random(&random, words)
            let expected = choice.expected(words)
            #expect(choice.chosen(words) == expected, "\(choice)")
            #expect(choice.chosen(words, byWalk: true) == expected, "\(choice)")
            outcomes[expected.outcome, default: 0] += 1
            if expected.slots.count > 1 { local += 1 }
        }
        #expect(outcomes.count == 3 && outcomes.values.allSatisfy { $0 > 50 } && local > 500, "\(outcomes)")
    }

    @Test("a candidate takes the client whose hash is below its share, and not the one whose hash is its share")
    func share() {
        let words = Words()
        var choice = Choice(list: [.init(slot: 1), .init(slot: 2, band: 1)], isComplete: true)
        var seen: Set<UInt64> = []
        for leaf in 0..<2000 as Range<UInt32> {
            choice.client.leaf = .v4(leaf << 8)
            let hash = choice.hash(1, words) & 255
            seen.insert(hash)
            for (share, slot) in [(hash, 2), (hash + 1, 1)] as [(UInt64, UInt16)] {
                words.set(1, NC_NODE_DEGRADED, share: UInt32(share))
                words.set(2, NC_NODE_UP)
                #expect(choice.chosen(words).slots == [slot])
            }
        }
        #expect(seen.count == 256)
    }

    @Test("the TTL is the shortest of the candidates met, those passed over included, and within the rule")
    func ttl() {
        let words = Words()
        var choice = Choice(list: [.init(slot: 1), .init(slot: 2, band: 1), .init(slot: 3, band: 2)])
        words.set(1, NC_NODE_DOWN, ttl: 20)
        words.set(2, NC_NODE_UP, ttl: 30)
        words.set(3, NC_NODE_UP, ttl: 15)
        #expect(choice.chosen(words) == .init(outcome: 0, slots: [2], ttl: 20))
        choice.rule.answers = 2
        #expect(choice.chosen(words) == .init(outcome: 0, slots: [2, 3], ttl: 15))
        for (ttl, expected) in [(0, 10), (9, 10), (10, 10), (11, 11), (59, 59), (60, 60), (61, 60), (0xff_ffff, 60)]
            as [(UInt32, UInt32)]
        {
            #expect(nc_rule_ttl(&choice.rule, ttl) == expected)
        }
    }

    @Test("at most eight answers, and no candidate of the walk is left out or met twice")
    func whole() {
        let words = Words()
        for slot in 1...24 as ClosedRange<UInt16> { words.set(slot, NC_NODE_DOWN) }
        let list = (1...8).map { Choice.Candidate(slot: $0, band: UInt8($0)) }
        var choice = Choice(list: list, backstop: Array(9...24), isComplete: true)
        for slot in 1...24 as ClosedRange<UInt16> {
            words.set(slot, NC_NODE_UP)
            #expect(choice.chosen(words).slots == [slot])
            words.set(slot, NC_NODE_DOWN)
        }
        choice.rule.answers = 8
        for slot in 1...24 as ClosedRange<UInt16> { words.set(slot, NC_NODE_UP) }
        #expect(choice.chosen(words).slots == Array(1...8))
        // There is no room for more, whatever the rule says.
        choice.rule.answers = 200
        #expect(choice.chosen(words).slots == Array(1...8))
        choice.rule.answers = 8
        for slot in 2...9 as ClosedRange<UInt16> { words.set(slot, NC_NODE_DOWN) }
        #expect(choice.chosen(words).slots == [1] + Array(10...16))
        // Those of the backstop that are in the list already count once.
        choice.behind = 0xffff ^ 0b110
        #expect(choice.chosen(words).slots == [1] + Array(12...18))
    }

    @Test("slots beyond the table's end are masked into it")
    func slots() {
        let words = Words()
        words.set(5, NC_NODE_UP)
        let choice = Choice(list: [.init(slot: 4096 + 5)])
        #expect(choice.chosen(words).slots == [5] && choice.chosen(words, byWalk: true).slots == [5])
    }
}

@Suite("Order inside a band")
struct BandTests {
    @Test("-log2 is within 6e-7 of the true one, and exact for powers of two")
    func logarithm() {
        for exponent in 0...32 as ClosedRange<UInt64> { #expect(nc_minus_log2(1 << exponent) == (32 - exponent) << 24) }
        var random = Numbers(7)
        for _ in 0..<100_000 {
            let u = random.next() >> UInt64.random(in: 32..<64, using: &random) + 1
            let expected = (32 - log2(Double(u))) * 16_777_216
            #expect(abs(Double(nc_minus_log2(u)) - expected) < 6e-7 * 16_777_216 + 1)
        }
        #expect(nc_minus_log2(0xffff_ffff) < 12)
    }

    @Test("a rank is the logarithm of bits 16 to 47 over the weight")
    func rank() {
        // u is 2^31, 1 and 2^32.
        let half: UInt64 = 0x7fff_ffff << 16
        #expect(nc_band_rank(half, 1) == 1 << 44 && nc_band_rank(half, 2) == 1 << 43)
        #expect(nc_band_rank(half | 0xffff_0000_0000_ffff, 1) == 1 << 44, "the other bits say nothing")
        #expect(nc_band_rank(0, 1) == 32 << 44 && nc_band_rank(0, 65_535) == (32 << 44) / 65_535)
        #expect(nc_band_rank(0xffff_ffff << 16, 1) == 0)
        #expect(nc_band_rank(0, 0) == 32 << 28, "a weight of 0 does not divide")
    }

    @Test("each wins in proportion to its weight, and taking one away moves its clients only")
    func proportions() {
        let words = Words()
        let weights: [UInt16] = [1, 2, 5, 8]
        var random = Numbers(8)
        for slot in 1...4 as ClosedRange<UInt16> {
            words.setID(slot, random.next())
            words.set(slot, NC_NODE_UP)
        }
        var choice = Choice(
            list: weights.enumerated().map { .init(slot: UInt16($0.offset + 1), weight: $0.element) }, isComplete: true)
        var winners: [UInt16] = []
        let clients = 40_000
        for leaf in 0..<clients {
            choice.client.leaf = .v4(UInt32(leaf) << 8)
            winners.append(choice.chosen(words).slots[0])
        }
        for (slot, weight) in zip(1...4 as ClosedRange<UInt16>, weights) {
            #expect(abs(Double(winners.count { $0 == slot }) / Double(clients) - Double(weight) / 16) < 0.01)
        }
        words.set(4, NC_NODE_DOWN)
        for leaf in 0..<clients {
            choice.client.leaf = .v4(UInt32(leaf) << 8)
            let slot = choice.chosen(words).slots[0]
            #expect(winners[leaf] == 4 ? slot != 4 : slot == winners[leaf])
        }
    }

    @Test("bands come before ranks, equal ranks keep their order, and what is not in the list comes last")
    func order() {
        let words = Words()
        var random = Numbers(9)
        for _ in 0..<2000 {
            var choice = Choice()
            var band: UInt8 = 0
            for index in 0..<Int.random(in: 1...8, using: &random) {
                if Bool.random(using: &random) { band += 1 }
                // Few identities: some are equal, and then so are their ranks.
                let slot = UInt16(index)
                words.setID(slot, random.next() % 3)
                choice.list.append(.init(slot: slot, weight: 1, band: band))
            }
            choice.client.name_hash = random.next()
            var list = choice.cList
            let order = nc_walk_order(&list, words.pointer, choice.clientHash)
            let indices = (0..<8 as Range<UInt32>).map { Int(order >> (4 * $0) & 15) }
            let expected = choice.list.indices.sorted { a, b in
                let (one, other) = (choice.list[a], choice.list[b])
                guard one.band == other.band else { return one.band < other.band }
                let (first, second) = (choice.rank(one, words), choice.rank(other, words))
                return first == second ? a < b : first < second
            }
            #expect(Array(indices.prefix(choice.list.count)) == expected)
            #expect(indices.sorted() == Array(0..<8))
        }
    }
}
