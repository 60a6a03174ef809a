/// The order in which people expect names: n2 before n10.
public enum NaturalOrder {
    /// Whether `a` comes before `b`: runs of ASCII digits by their value, everything else by UTF-8 byte.
    ///
    /// A strict total order: names with the same values (n1, n01) are ordered by byte.
    public static func precedes(_ a: String, _ b: String) -> Bool {
        var (left, right) = (Array(a.utf8)[...], Array(b.utf8)[...])
        while let x = left.first, let y = right.first {
            if isDigit(x), isDigit(y) {
                let (first, second) = (number(&left), number(&right))
                if first.count != second.count { return first.count < second.count }
                if first != second { return first.lexicographicallyPrecedes(second) }
            } else {
                if x != y { return x < y }
                left.removeFirst()
                right.removeFirst()
            }
        }
        if left.isEmpty != right.isEmpty { return left.isEmpty }
        return a.utf8.lexicographicallyPrecedes(b.utf8)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Removes the digits at the front and returns them without leading zeros. There may be any number, so they are
    /// compared as text.
    private static func number(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let run = bytes.prefix(while: isDigit)
        bytes = bytes.dropFirst(run.count)
        return run.drop { $0 == 0x30 }
    }
}
