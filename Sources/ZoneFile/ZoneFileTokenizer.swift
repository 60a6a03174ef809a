/// A word of a zone file: a place in its text.
struct Token {
    /// The bytes, without the quotes, with escapes as written.
    var range: Range<Int>
    var line: Int
    var column: Int
    var isQuoted = false
}

/// Cuts a zone file into entries: logical lines, which parentheses carry over ends of lines (RFC 1035, section 5.1).
struct ZoneFileTokenizer {
    struct Entry {
        var tokens: [Token] = []
        /// The entry begins with a blank: it has the owner of the one before.
        var startsWithBlank = false
    }

    /// A fault of form; the rest of its line is passed over.
    struct Fault: Error {
        var line: Int
        var column: Int
        var message: String
    }

    let text: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0

    init(_ text: [UInt8]) { self.text = text }

    private var column: Int { position - lineStart + 1 }

    private func fault(_ message: String) -> Fault { Fault(line: line, column: column, message: message) }

    /// The next entry that has words; `nil` at the end of the text.
    mutating func next() throws(Fault) -> Entry? {
        var entry = Entry()
        var opened: Fault?
        var atLineStart = true
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\n"):
                newLine()
                guard opened == nil else { continue }
                if !entry.tokens.isEmpty { return entry }
                entry.startsWithBlank = false
                atLineStart = true
                continue
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                if atLineStart, entry.tokens.isEmpty, opened == nil { entry.startsWithBlank = true }
                position += 1
            case UInt8(ascii: ";"):
                while position < text.count, text[position] != UInt8(ascii: "\n") { position += 1 }
            case UInt8(ascii: "("):
                guard opened == nil else { throw skipLine(fault("parentheses do not nest; remove this one")) }
                opened = fault("the parenthesis is not closed; add \")\" after the record")
                position += 1
            case UInt8(ascii: ")"):
                guard opened != nil else { throw skipLine(fault("no parenthesis is open; remove this one")) }
                opened = nil
                position += 1
            case UInt8(ascii: "\""): entry.tokens.append(try quoted())
            default: entry.tokens.append(try word())
            }
            atLineStart = false
        }
        if let opened { throw opened }
        return entry.tokens.isEmpty ? nil : entry
    }

    private mutating func newLine() {
        position += 1
        line += 1
        lineStart = position
    }

    /// Goes on after the faulty line, so that one fault does not hide the next.
    private mutating func skipLine(_ fault: Fault) -> Fault {
        while position < text.count, text[position] != UInt8(ascii: "\n") { position += 1 }
        if position < text.count { newLine() }
        return fault
    }

    private mutating func quoted() throws(Fault) -> Token {
        let opening = fault("the quotation is not closed; add a second quotation mark on the same line")
        position += 1
        var token = Token(range: position..<position, line: line, column: opening.column, isQuoted: true)
        while position < text.count, text[position] != UInt8(ascii: "\n") {
            if text[position] == UInt8(ascii: "\"") {
                token.range = token.range.lowerBound..<position
                position += 1
                return token
            }
            try step()
        }
        throw skipLine(opening)
    }

    private mutating func word() throws(Fault) -> Token {
        var token = Token(range: position..<position, line: line, column: column)
        loop: while position < text.count {
            switch text[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: ";"),
                UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "\""):
                break loop
            default: try step()
            }
        }
        token.range = token.range.lowerBound..<position
        return token
    }

    /// Passes over one byte, or over a backslash and what it protects.
    private mutating func step() throws(Fault) {
        if text[position] == UInt8(ascii: "\\") {
            guard position + 1 < text.count, text[position + 1] != UInt8(ascii: "\n") else {
                throw skipLine(fault("a backslash ends the line; remove it"))
            }
            position += 1
        }
        position += 1
    }
}
