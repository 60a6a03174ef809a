import Location
import Testing

@Suite("Numbers in order of appearance")
struct NumberTableTests {
    @Test("keys are numbered in the order in which they first appear", arguments: [1, 100, 1 << 14])
    func numbers(capacity: Int) {
        var table = NumberTable(capacity: capacity)
        var expected: [UInt32: Int] = [:]
        var random = SplitMix(state: 3)
        for key in [0, .max, 1] + (0..<50_000).map({ _ in UInt32(truncatingIfNeeded: random.next()) & 0xf_ffff }) {
            let number = expected[key] ?? expected.count
            expected[key] = number
            #expect(table.number(of: key) == number)
        }
        #expect(table.count == expected.count)
        table.removeAll()
        #expect(table.count == 0 && table.number(of: .max) == 0)
    }
}
