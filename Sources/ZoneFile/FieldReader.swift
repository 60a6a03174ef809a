import DNSWire
import VisibleText

/// A word of a zone file, as a range in its text.
struct Token {
    /// The bytes without the quotes; escapes are not resolved.
    var start: Int
    var end: Int
    var line: Int
    var column: Int
    var isQuoted = false

    var range: Range<Int> { start..<end }
}

/// Reads one file: splits it into entries (`nextEntry`), and reads the words of an entry one by one as the expected
/// fields. Errors refer to the word that is wrong.
///
/// The wire form of fields is appended to `output`. Tokens and output keep their memory between entries, so that
/// reading a record does not allocate.
struct FieldReader {
    let text: [UInt8]
    let file: String
    var origin: DomainName
    var tokens: [Token] = []
    /// The index of the next word.
    var index = 0
    /// Whether the entry begins with a blank, so that it has the owner of the previous entry.
    var startsWithBlank = false
    var output: [UInt8] = []
    /// The offset in the text at which `nextEntry` continues.
    var position = 0
    var lineNumber = 1
    var lineStart = 0

    init(text: [UInt8], file: String, origin: DomainName) {
        self.text = text
        self.file = file
        self.origin = origin
    }

    /// The position of the next word, or of the last word if there is none left.
    var line: Int { place.line }
    var column: Int { place.column }
    private var place: Token { tokens[min(index, tokens.count - 1)] }

    var isAtEnd: Bool { index >= tokens.count }
    var nextIsQuoted: Bool { !isAtEnd && tokens[index].isQuoted }

    /// The next word's bytes as written; empty if there is none left.
    var word: ArraySlice<UInt8> { isAtEnd ? [] : text[tokens[index].range] }
    /// The next word, for messages.
    var wordText: String { String(decoding: word, as: UTF8.self) }
    /// The next word for messages, in quotes.
    var shownWord: String { VisibleText.quoted(wordText) }

    mutating func skip() { index += 1 }

    /// Whether the next word is `expected`, unquoted, ignoring case.
    func nextIs(_ expected: StaticString) -> Bool {
        guard !isAtEnd, !tokens[index].isQuoted else { return false }
        let token = tokens[index]
        guard token.end - token.start == expected.utf8CodeUnitCount else { return false }
        // Reads the literal within its length only.
        for offset in 0..<expected.utf8CodeUnitCount {
            let byte = expected.utf8Start[offset]
            guard DomainName.lowercased(text[token.start + offset]) == DomainName.lowercased(byte) else { return false }
        }
        return true
    }

    /// An error at the next word, or at the last one if there is none left.
    func error(_ message: String) -> ZoneFileError {
        ZoneFileError(file: file, line: line, column: column, message: message)
    }

    /// An error at a word.
    func error(_ message: String, at token: Token) -> ZoneFileError {
        ZoneFileError(file: file, line: token.line, column: token.column, message: message)
    }

    /// Rejects remaining words.
    func end() throws(ZoneFileError) {
        guard isAtEnd else {
            throw error("\(shownWord) is more than the type has fields for; remove it, or begin a comment with \";\"")
        }
    }

    /// The next word; an error if there is none.
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
