import VisibleText

/// Suggestions and enumerations for messages.
public enum Spelling {
    /// The member of `words` closest to `text`, if it is close enough to be a likely typo.
    package static func nearest(to text: String, among words: [String]) -> String? {
        let letters = Array(text.lowercased().unicodeScalars.prefix(64))
        let ranked = words.map { (word: $0, distance: distance(letters, Array($0.lowercased().unicodeScalars))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }),
            best.distance <= max(1, min(letters.count, best.word.count) / 3)
                || isOtherEnding(letters, Array(best.word.lowercased().unicodeScalars))
        else { return nil }
        return best.word
    }

    /// Whether two words differ in their last letters alone, as a singular and its plural.
    private static func isOtherEnding(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Bool {
        let shared = zip(left, right).prefix { $0 == $1 }.count
        return shared >= 4 && max(left.count, right.count) - shared <= 3
    }

    /// `a`, `a or b`, `a, b or c`.
    package static func alternatives(_ words: [String]) -> String { join(words, " or ") }

    /// `a`, `a and b`, `a, b and c`.
    package static func enumeration(_ words: [String]) -> String { join(words, " and ") }

    private static func join(_ words: [String], _ conjunction: String) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + conjunction + last
    }

    /// The existing ids, for `which is not among nodes (...)`: the first eight, and the number of others.
    package static func excerpt(_ words: [String]) -> String {
        guard !words.isEmpty else { return "none is configured" }
        let shown = words.prefix(8).joined(separator: ", ")
        return words.count > 8 ? "\(shown) and \(words.count - 8) more" : shown
    }

    /// `text` in quotes, truncated after 60 characters, with invisible characters escaped.
    public static func quoted(_ text: String) -> String { VisibleText.quoted(text) }

    /// Whether `text` can be the id of an entry: 1 to 63 letters, digits, dots, hyphens or underscores.
    static func isID(_ text: String) -> Bool {
        (1...63).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// The edit distance: insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var rows = [Array(0...right.count)]
        for row in 1...left.count {
            var current = [row]
            for column in 1...right.count {
                let substitution = rows[row - 1][column - 1] + (left[row - 1] == right[column - 1] ? 0 : 1)
                var best = min(substitution, rows[row - 1][column] + 1, current[column - 1] + 1)
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    best = min(best, rows[row - 2][column - 2] + 1)
                }
                current.append(best)
            }
            rows.append(current)
        }
        return rows[left.count][right.count]
    }
}
