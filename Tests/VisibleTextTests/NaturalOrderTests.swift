import Testing
import VisibleText

@Suite struct NaturalOrderTests {
    @Test("numbers in names are ordered by value")
    func values() {
        let names = ["n100", "n1", "n10", "n2", "a", "n", "n02", "n1-b2", "n1-b10", "", "n99999999999999999999999"]
        #expect(
            names.sorted(by: NaturalOrder.precedes) == [
                "", "a", "n", "n1", "n1-b2", "n1-b10", "n02", "n2", "n10", "n100", "n99999999999999999999999",
            ])
    }

    @Test("the order is strict and total for any names")
    func total() {
        var random = SystemRandomNumberGenerator()
        let names = (0..<60).map { _ in
            String(
                (0..<Int.random(in: 0...4, using: &random)).map { _ in "019a-".randomElement(using: &random) ?? "a" })
        }
        for a in names {
            for b in names {
                #expect(!(NaturalOrder.precedes(a, b) && NaturalOrder.precedes(b, a)))
                #expect(a == b || NaturalOrder.precedes(a, b) || NaturalOrder.precedes(b, a), "\(a) \(b)")
                for c in names where NaturalOrder.precedes(a, b) && NaturalOrder.precedes(b, c) {
                    #expect(NaturalOrder.precedes(a, c), "\(a) \(b) \(c)")
                }
            }
        }
    }
}
