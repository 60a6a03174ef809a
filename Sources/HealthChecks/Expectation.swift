/// Searches for bytes in data that arrives in pieces.
struct Expectation {
    private let wanted: [UInt8]
    private let limit: Int
    private var taken = 0
    /// The tail of the data so far, in which a match may have begun.
    private var tail: [UInt8] = []

    init(_ text: String, limit: Int) {
        wanted = Array(text.utf8)
        self.limit = limit
    }

    enum Finding { case found, missing, tooMuch }

    mutating func take(_ bytes: some Collection<UInt8>) -> Finding {
        taken += bytes.count
        let seen = tail + bytes
        if wanted.count <= seen.count {
            for start in 0...(seen.count - wanted.count)
            where seen[start..<start + wanted.count].elementsEqual(wanted) {
                return .found
            }
        }
        tail = Array(seen.suffix(max(0, wanted.count - 1)))
        return taken > limit ? .tooMuch : .missing
    }
}
