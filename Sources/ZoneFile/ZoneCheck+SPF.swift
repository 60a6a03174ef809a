import DNSWire
import Lints

/// Policies of mail senders (RFC 7208).
extension ZoneCheck {
    /// A name has at most one policy, and its strings are joined without blanks.
    mutating func checkSPF(_ owner: Int) {
        var first: Entry?
        for number in 0..<count(owner) {
            let entry = record(owner, number)
            guard entry.type == .txt, isPolicy(entry) else { continue }
            if let first {
                warn(
                    .spf, entry,
                    "a second SPF policy of \(name(owner)); the first is \(place(of: first, from: entry)), and receivers "
                        + "ignore both (RFC 7208, section 4.5); join them into one record")
            }
            first = first ?? entry
            checkStrings(entry)
        }
    }

    /// `v=spf1`, alone or with a blank after it; also where the blank was lost between two strings.
    private func isPolicy(_ entry: Entry) -> Bool {
        guard let string = strings(entry).first else { return false }
        let version = Array("v=spf1".utf8)
        return string.prefix(6).map(DomainName.lowercased) == version
            && (string.count == 6 || string[string.startIndex + 6] == UInt8(ascii: " "))
    }

    /// Strings are joined as they are (RFC 7208, section 3.3). A term that begins a string needs a blank before it.
    private mutating func checkStrings(_ entry: Entry) {
        let strings = strings(entry)
        for (string, next) in zip(strings, strings.dropFirst()) {
            let endsInBlank = string.last == UInt8(ascii: " ") || next.first == UInt8(ascii: " ")
            // A string of the greatest length was cut to fit, anywhere.
            guard !endsInBlank, string.count < 255, Self.beginsWithTerm(next) else { continue }
            return warn(
                .spf, entry,
                "the strings of this SPF policy are joined without blanks, as in \"…\(Self.shown(string.suffix(12)))"
                    + "\(Self.shown(next.prefix(12)))…\"; write the policy in one pair of quotes")
        }
    }

    private static func shown(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.filter { (0x21...0x7E).contains($0) || $0 == 0x20 }, as: UTF8.self)
    }

    private static let terms = [
        "all", "include:", "ip4:", "ip6:", "exists:", "redirect=", "exp=", "a:", "mx:", "ptr:",
    ].map { Array($0.utf8) }

    /// Whether a string is or begins with a mechanism or modifier.
    private static func beginsWithTerm(_ string: ArraySlice<UInt8>) -> Bool {
        var text = string.map(DomainName.lowercased)[...]
        if let sign = text.first, "+-~?".utf8.contains(sign) { text.removeFirst() }
        return text.elementsEqual("mx".utf8) || text.elementsEqual("a".utf8)
            || text.starts(with: "mx ".utf8) || text.starts(with: "a ".utf8)
            || terms.contains { text.starts(with: $0) }
    }

    private func strings(_ entry: Entry) -> [ArraySlice<UInt8>] {
        var (strings, start): ([ArraySlice<UInt8>], Int) = ([], entry.data.lowerBound)
        while start < entry.data.upperBound {
            let length = Int(records.bytes[start])
            strings.append(records.bytes[start + 1..<start + 1 + length])
            start += 1 + length
        }
        return strings
    }
}
