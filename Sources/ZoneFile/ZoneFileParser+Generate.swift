import VisibleText

extension ZoneFileParser {
    /// Maximum number of records from all $GENERATE lines of a zone, including those in included files.
    static let maximumGenerated = 1 << 20
    /// Maximum size of their text in bytes. Numbers can be padded to any width.
    static let maximumGeneratedBytes = 256 << 20

    /// Generates a record for each number of `$GENERATE first-last[/step] owner [TTL] [class] type RDATA`. In every
    /// word, "$" and "${offset[,width[,base]]}" are replaced by the number (see $GENERATE in BIND's Administrator
    /// Reference Manual).
    ///
    /// The first invalid record ends it, because the others would have the same error.
    mutating func generate() throws(ZoneFileError) {
        let directive = reader.tokens[0]
        guard !reader.isAtEnd, let range = GeneratedRange(reader.word) else {
            throw reader.error("the range of $GENERATE is missing or wrong; write it like 1-254 or 0-254/2")
        }
        guard range.count <= Self.maximumGenerated - generated else {
            throw reader.error(
                "$GENERATE makes more than \(Self.maximumGenerated) records in this zone, with \(generated) made above; "
                    + "split the zone")
        }
        reader.skip()
        guard reader.tokens.count - reader.index >= 3 else {
            throw reader.error("$GENERATE needs an owner, a type and data behind its range; add what is missing")
        }
        var templates: [GeneratedWord] = []
        for token in reader.tokens[reader.index...] {
            guard let word = GeneratedWord(reader.text[token.range], isQuoted: token.isQuoted) else {
                throw reader.error(
                    "the ${…} is wrong; write ${offset,width,base} with a base of d, o, x, X, n or N", at: token)
            }
            templates.append(word)
        }
        let saved = reader
        defer { reader = saved }
        generated += range.count
        for number in stride(from: range.first, through: range.last, by: range.step) {
            var line: [UInt8] = []
            for word in templates {
                guard word.append(number, to: &line) else {
                    throw saved.error(
                        "an offset makes \(number) negative; raise the range or the offset", at: directive)
                }
            }
            generatedBytes += line.count
            guard generatedBytes <= Self.maximumGeneratedBytes else {
                throw saved.error(
                    "the records that $GENERATE makes in this zone have more than \(Self.maximumGeneratedBytes >> 20) MiB of text; "
                        + "make them shorter, or fewer", at: directive)
            }
            try readGenerated(line, origin: saved, at: directive)
        }
    }

    private mutating func readGenerated(
        _ line: [UInt8], origin saved: FieldReader, at directive: Token
    ) throws(ZoneFileError) {
        reader = FieldReader(text: line, file: saved.file, origin: saved.origin)
        do throws(ZoneFileError) {
            guard try reader.nextEntry() else { return }
            for index in reader.tokens.indices {
                (reader.tokens[index].line, reader.tokens[index].column) = (directive.line, directive.column)
            }
            try readRecord()
        } catch {
            let record = String(decoding: line.dropLast(), as: UTF8.self)
            throw saved.error(
                "\(error.message) (in the record \(VisibleText.quoted(record)) that $GENERATE makes)", at: directive)
        }
    }
}

/// `first-last` or `first-last/step`.
struct GeneratedRange {
    var first: Int
    var last: Int
    var step = 1

    var count: Int { (last - first) / step + 1 }

    init?(_ text: ArraySlice<UInt8>) {
        let parts = text.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
        let ends = parts[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last else {
            return nil
        }
        (self.first, self.last) = (first, last)
        guard parts.count == 2 else { return }
        guard let step = Self.number(parts[1]), step > 0 else { return nil }
        self.step = step
    }

    /// A decimal number below 2³¹.
    static func number(_ text: ArraySlice<UInt8>) -> Int? {
        guard (1...10).contains(text.count), text.allSatisfy(FieldReader.isDigit) else { return nil }
        let value = text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return value <= Int(Int32.max) ? value : nil
    }
}

/// A word of a $GENERATE line: text with placeholders for the number.
struct GeneratedWord {
    private enum Part {
        case text([UInt8])
        case number(offset: Int, width: Int, base: UInt8)
    }

    private var parts: [Part] = []
    private let isQuoted: Bool

    /// `nil` if a "${…}" is invalid. "$$" stands for "$"; escaped characters are copied.
    init?(_ word: ArraySlice<UInt8>, isQuoted: Bool) {
        self.isQuoted = isQuoted
        var plain: [UInt8] = []
        var rest = word
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\") {
                plain.append(byte)
                if let next = rest.popFirst() { plain.append(next) }
            } else if byte != UInt8(ascii: "$") {
                plain.append(byte)
            } else if rest.first == UInt8(ascii: "$") {
                rest.removeFirst()
                plain.append(byte)
            } else {
                parts.append(.text(plain))
                plain = []
                guard let number = Self.number(&rest) else { return nil }
                parts.append(number)
            }
        }
        parts.append(.text(plain))
    }

    /// Reads the braces after a "$", if there are any.
    private static func number(_ rest: inout ArraySlice<UInt8>) -> Part? {
        guard rest.first == UInt8(ascii: "{") else { return .number(offset: 0, width: 0, base: UInt8(ascii: "d")) }
        guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else { return nil }
        let fields = rest[..<end].dropFirst().split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        rest = rest[(end + 1)...]
        guard (1...3).contains(fields.count) else { return nil }
        let isNegative = fields[0].first == UInt8(ascii: "-")
        guard let offset = GeneratedRange.number(isNegative ? fields[0].dropFirst() : fields[0]),
            let width = fields.count > 1 ? GeneratedRange.number(fields[1]) : 0, width <= 255
        else { return nil }
        let base = fields.count > 2 ? fields[2] : [UInt8(ascii: "d")]
        guard base.count == 1, let letter = base.first, "doxXnN".utf8.contains(letter) else { return nil }
        return .number(offset: isNegative ? -offset : offset, width: width, base: letter)
    }

    /// Appends the word for `number`, and a blank; `false` if an offset makes the number negative.
    func append(_ number: Int, to line: inout [UInt8]) -> Bool {
        if isQuoted { line.append(UInt8(ascii: "\"")) }
        for part in parts {
            switch part {
            case .text(let text): line += text
            case .number(let offset, let width, let base):
                guard number + offset >= 0 else { return false }
                line += Self.digits(number + offset, width: width, base: base)
            }
        }
        if isQuoted { line.append(UInt8(ascii: "\"")) }
        line.append(UInt8(ascii: " "))
        return true
    }

    private static func digits(_ value: Int, width: Int, base: UInt8) -> [UInt8] {
        switch base {
        case UInt8(ascii: "n"): return nibbles(value, width: width, uppercase: false)
        case UInt8(ascii: "N"): return nibbles(value, width: width, uppercase: true)
        default: break
        }
        let radix = base == UInt8(ascii: "d") ? 10 : base == UInt8(ascii: "o") ? 8 : 16
        let digits = Array(String(value, radix: radix, uppercase: base == UInt8(ascii: "X")).utf8)
        return Array(repeating: UInt8(ascii: "0"), count: max(0, width - digits.count)) + digits
    }

    /// Hexadecimal digits, the lowest first, separated by dots, as in names below ip6.arpa. `width` counts the dots.
    private static func nibbles(_ value: Int, width: Int, uppercase: Bool) -> [UInt8] {
        let digits = Array((uppercase ? "0123456789ABCDEF" : "0123456789abcdef").utf8)
        var (left, text): (Int, [UInt8]) = (value, [])
        repeat {
            text.append(digits[left & 15])
            left >>= 4
            if left != 0 || text.count < width { text.append(UInt8(ascii: ".")) }
        } while left != 0 || text.count < width
        return text
    }
}
