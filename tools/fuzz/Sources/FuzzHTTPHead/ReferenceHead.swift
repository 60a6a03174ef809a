/// The same finding from all bytes at once, written from RFC 9112 without the state machine.
enum ReferenceHead {
    static func finding(in bytes: [UInt8]) -> HTTPHead.Finding {
        var start = 0
        var interim = 0
        while true {
            let end = end(of: bytes, from: start)
            // The begin of a head is judged when its twelfth byte is there, or at the end of a shorter one.
            let judged = min(start + 12, end ?? .max)
            let status = status(bytes[min(start, bytes.count)...].prefix(12))
            if judged <= bytes.count, judged - start < 12 || status == nil {
                return judged > HTTPHead.limit ? .tooLong : .malformed
            }
            guard let end, end <= HTTPHead.limit else { return bytes.count > HTTPHead.limit ? .tooLong : .incomplete }
            guard let status else { return .malformed }
            // RFC 9110, section 15.2: only 101 ends the talk of HTTP.
            guard status / 100 == 1, status != 101 else { return .status(status) }
            interim += 1
            if interim > HTTPHead.interimLimit { return .tooManyInterim }
            start = end
        }
    }

    /// The place behind the empty line that ends the head at `start`; its first line is none, even without a letter.
    private static func end(of bytes: [UInt8], from start: Int) -> Int? {
        var place = start
        var isFirst = true
        while let feed = bytes[place...].firstIndex(of: 0x0A) {
            if !isFirst, bytes[place..<feed].allSatisfy({ $0 == 0x0D }) { return feed + 1 }
            isFirst = false
            place = feed + 1
        }
        return nil
    }

    /// `HTTP/1.1 200`
    private static func status(_ line: ArraySlice<UInt8>) -> Int? {
        let text = String(decoding: line, as: UTF8.self).unicodeScalars.map(String.init)
        func isDigit(_ text: String) -> Bool { "0123456789".unicodeScalars.contains { String($0) == text } }
        guard text.count == 12, text[..<7].joined() == "HTTP/1.", isDigit(text[7]), text[8] == " ",
            text[9...].allSatisfy(isDigit)
        else { return nil }
        return Int(text[9...].joined())
    }
}
