import DNSWire
import VisibleText

/// A word of a zone file: a place in its text.
struct Token {
    /// The bytes, without the quotes, with escapes as written.
    var start: Int
    var end: Int
    var line: Int
    var column: Int
    var isQuoted = false

    var range: Range<Int> { start..<end }
}

/// Reads one file: cuts it into entries (`nextEntry`), and takes an entry's words one after the other as the fields they
/// are expected to be. Errors name the word at fault.
///
/// What the fields are on the wire is appended to `output`. Tokens and output keep their memory from entry to entry, so
/// that reading a record allocates nothing.
struct FieldReader {
    let text: [UInt8]
    let file: String
    var origin: DomainName
    var tokens: [Token] = []
    /// The word to be taken next.
    var index = 0
    /// Whether the entry begins with a blank: it has the owner of the one before.
    var startsWithBlank = false
    var output: [UInt8] = []
    /// The place in the text that `nextEntry` goes on from.
    var position = 0
    var lineNumber = 1
    var lineStart = 0

    init(text: [UInt8], file: String, origin: DomainName) {
        self.text = text
        self.file = file
        self.origin = origin
    }

    /// The place of the next word, or of the last when there is none left.
    var line: Int { place.line }
    var column: Int { place.column }
    private var place: Token { tokens[min(index, tokens.count - 1)] }

    var isAtEnd: Bool { index >= tokens.count }
    var nextIsQuoted: Bool { !isAtEnd && tokens[index].isQuoted }

    /// The next word's bytes as written; empty at the end.
    var word: ArraySlice<UInt8> { isAtEnd ? [] : text[tokens[index].range] }
    /// The next word, for messages.
    var wordText: String { String(decoding: word, as: UTF8.self) }
    /// The same for messages, in quotes.
    var shownWord: String { VisibleText.quoted(wordText) }

    mutating func skip() { index += 1 }

    /// Whether the next word is `expected` and not quoted, in any case of its letters.
    func nextIs(_ expected: StaticString) -> Bool {
        guard !isAtEnd, !tokens[index].isQuoted else { return false }
        let token = tokens[index]
        guard token.end - token.start == expected.utf8CodeUnitCount else { return false }
        // The pointer is read below the count of the literal's bytes only.
        for offset in 0..<expected.utf8CodeUnitCount {
            let byte = expected.utf8Start[offset]
            guard DomainName.lowercased(text[token.start + offset]) == DomainName.lowercased(byte) else { return false }
        }
        return true
    }

    /// An error at the next word, or the last.
    func error(_ message: String) -> ZoneFileError {
        ZoneFileError(file: file, line: line, column: column, message: message)
    }

    /// An error at a word, from its byte `offset` on.
    func error(_ message: String, at token: Token) -> ZoneFileError {
        ZoneFileError(file: file, line: token.line, column: token.column, message: message)
    }

    /// Refuses words that are left.
    func end() throws(ZoneFileError) {
        guard isAtEnd else {
            throw error("\(shownWord) is more than the record takes; remove it, or open a comment with \";\"")
        }
    }

    /// The next word, which must be there.
    func token(_ what: String) throws(ZoneFileError) -> Token {
        guard index < tokens.count else { throw error("\(what) is missing at the end of the record; add it") }
        return tokens[index]
    }
}

extension FieldReader {
    mutating func append(_ value: UInt8) { output.append(value) }

    mutating func append(_ value: UInt16) {
        output.append(UInt8(truncatingIfNeeded: value >> 8))
        output.append(UInt8(truncatingIfNeeded: value))
    }

    mutating func append(_ value: UInt32) {
        append(UInt16(truncatingIfNeeded: value >> 16))
        append(UInt16(truncatingIfNeeded: value))
    }

    mutating func append(_ value: UInt128) {
        for shift in stride(from: 96, through: 0, by: -32) {
            append(UInt32(truncatingIfNeeded: value >> UInt128(shift)))
        }
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}
