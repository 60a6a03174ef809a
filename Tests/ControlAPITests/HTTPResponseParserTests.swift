import ControlAPI
import Testing

@Suite struct HTTPResponseParserTests {
    private static let counted = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    private static let chunked =
        "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: t\r\n\r\n"
    private static let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length:5\r\n\r\nhello"

    @Test("a response is whole at its last byte, in whatever pieces it comes", arguments: [counted, chunked, interim])
    func pieces(text: String) throws {
        for size in [1, 2, 3, 7, 1_000] {
            var parser = HTTPResponseParser()
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                #expect(!parser.isComplete)
                try parser.append(bytes[start..<min(start + size, bytes.count)])
            }
            #expect(parser.isComplete)
            #expect(parser.body == Array("hello".utf8))
        }
    }

    @Test("without a length the body ends with the connection")
    func untilEnd() throws {
        var parser = HTTPResponseParser()
        try parser.append(Array("HTTP/1.1 200 OK\r\n\r\nhel".utf8))
        try parser.append(Array("lo".utf8))
        #expect(!parser.isComplete)
        let isWhole = parser.end()
        #expect(isWhole)
        #expect(parser.body == Array("hello".utf8))
    }

    @Test("an end in the middle is no whole response", arguments: [counted, chunked])
    func truncated(text: String) throws {
        var parser = HTTPResponseParser()
        try parser.append(Array(text.utf8).dropLast())
        let isWhole = parser.end()
        #expect(!isWhole)
    }

    @Test(
        "what is no response is refused",
        arguments: [
            "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 99 Low\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", String(repeating: "x", count: 20_000),
        ])
    func malformed(text: String) {
        #expect(throws: HTTPResponseParser.Malformed.self) {
            var parser = HTTPResponseParser()
            try parser.append(Array(text.utf8))
        }
    }
}
