/// Entries are logical lines. Parentheses continue them over line ends (RFC 1035, section 5.1).
extension FieldReader {
    /// Moves to the next entry that has words; `false` at the end of the text.
    ///
    /// - Throws: a syntax error. The rest of its line is skipped, so that one error does not hide the next.
    mutating func nextEntry() throws(ZoneFileError) -> Bool {
        tokens.removeAll(keepingCapacity: true)
        index = 0
        startsWithBlank = false
        var opened: ZoneFileError?
        var atLineStart = true
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\n"):
                newLine()
                guard opened == nil else { continue }
                if !tokens.isEmpty { return true }
                startsWithBlank = false
                atLineStart = true
                continue
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                if atLineStart, tokens.isEmpty, opened == nil { startsWithBlank = true }
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
            case UInt8(ascii: "\""): try takeQuoted()
            default: try takeWord()
            }
            atLineStart = false
        }
        if let opened { throw opened }
        return !tokens.isEmpty
    }

    private func fault(_ message: String) -> ZoneFileError {
        ZoneFileError(file: file, line: lineNumber, column: position - lineStart + 1, message: message)
    }

    private mutating func newLine() {
        position += 1
        lineNumber += 1
        lineStart = position
    }

    private mutating func skipLine(_ fault: ZoneFileError) -> ZoneFileError {
        while position < text.count, text[position] != UInt8(ascii: "\n") { position += 1 }
        if position < text.count { newLine() }
        return fault
    }

    private mutating func takeQuoted() throws(ZoneFileError) {
        let (start, column) = (position + 1, position - lineStart + 1)
        position = start
        while position < text.count, text[position] != UInt8(ascii: "\n") {
            if text[position] == UInt8(ascii: "\"") {
                tokens.append(Token(start: start, end: position, line: lineNumber, column: column, isQuoted: true))
                position += 1
                return
            }
            try step()
        }
        throw skipLine(
            ZoneFileError(
                file: file, line: lineNumber, column: column,
                message: "the quoted string is not closed; add a second quotation mark on the same line"))
    }

    private mutating func takeWord() throws(ZoneFileError) {
        let (start, column) = (position, position - lineStart + 1)
        loop: while position < text.count {
            switch text[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: ";"),
                UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "\""):
                break loop
            default: try step()
            }
        }
        tokens.append(Token(start: start, end: position, line: lineNumber, column: column))
    }

    /// Skips one byte, or a backslash and the character it escapes.
    private mutating func step() throws(ZoneFileError) {
        if text[position] == UInt8(ascii: "\\") {
            guard position + 1 < text.count, text[position + 1] != UInt8(ascii: "\n") else {
                throw skipLine(fault("a backslash ends the line; remove it"))
            }
            position += 1
        }
        position += 1
    }
}
