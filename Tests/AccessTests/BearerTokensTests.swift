import Access
import ControlFailures
import Testing

@Suite struct BearerTokensTests {
    static let token = "0123456789abcdef0123456789abcdef"

    @Test("a token speaks for what its line says, and another for nothing")
    func callers() throws {
        let file = """
            # who may report
            \(BearerTokens.line("node", "fra1", token: Self.token))

              \(BearerTokens.line("node", "*", token: Self.token + "a"))
            \(BearerTokens.line("external", "tower", token: Self.token + "b"))\r
            \(BearerTokens.line("automation", "deploy", token: Self.token + "c"))
            \(BearerTokens.line("observer", "ams", token: Self.token + "d"))
            """
        let tokens = try BearerTokens(file, file: "tokens")
        #expect(tokens.count == 5)
        #expect(tokens.caller(Array(Self.token.utf8)) == .node("fra1"))
        #expect(tokens.caller(Array((Self.token + "a").utf8)) == .node(nil))
        #expect(tokens.caller(Array((Self.token + "b").utf8)) == .agent("tower"))
        #expect(tokens.caller(Array((Self.token + "c").utf8)) == .automation("deploy"))
        #expect(tokens.caller(Array((Self.token + "d").utf8)) == .observer("ams"))
        for stranger in ["", "x", Self.token + "e", String(repeating: "x", count: 10_000)] {
            #expect(tokens.caller(Array(stranger.utf8)) == nil)
        }
    }

    @Test("a token is known by its whole hash: a line that differs in one digit is another's", arguments: 0..<64)
    func wholeHash(digit: Int) throws {
        let line = BearerTokens.line("node", "fra1", token: Self.token)
        var characters = Array(line)
        let place = characters.count - 64 + digit
        characters[place] = characters[place] == "0" ? "1" : "0"
        let near = try BearerTokens(String(characters), file: "tokens")
        #expect(near.caller(Array(Self.token.utf8)) == nil)
        // Both in one file are two tokens.
        let both = try BearerTokens(String(characters).replacing("fra1", with: "ber1") + "\n" + line, file: "tokens")
        #expect(both.count == 2 && both.caller(Array(Self.token.utf8)) == .node("fra1"))
    }

    @Test("tokens of 16 to 256 bytes are looked up, shorter and longer ones are not", arguments: [15, 16, 256, 257])
    func lengths(count: Int) throws {
        let token = String(repeating: "k", count: count)
        let tokens = try BearerTokens(BearerTokens.line("node", "fra1", token: token), file: "tokens")
        #expect(tokens.caller(Array(token.utf8)) == ((16...256).contains(count) ? .node("fra1") : nil))
    }

    @Test(
        "what is wrong is told with its line",
        arguments: [
            ("node fra1", "tokens:1: malformed token line"),
            ("\nnobody fra1 sha256:00", "tokens:2: malformed token line"),
            ("node fra1 secret", "tokens:1: malformed hash"),
            ("node fra1 sha256:" + String(repeating: "g", count: 64), "tokens:1: malformed hash"),
            (
                "node fra1 sha256:" + String(repeating: "0", count: 64) + "\nnode ber1 sha256:"
                    + String(repeating: "0", count: 64), "tokens:2: the same token is in line 1"
            ),
        ])
    func problems(text: String, message: String) {
        let failure = #expect(throws: ControlFailure.self) { try BearerTokens(text, file: "tokens") }
        #expect(failure?.message == message && failure?.remedy != nil)
    }

    @Test(
        "hashes are those of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                String(repeating: "a", count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ])
    func vectors(text: String, hash: String) {
        #expect(BearerTokens.line("node", "x", token: text) == "node x sha256:\(hash)")
    }

    @Test("tokens that are made differ, and are long")
    func made() {
        let tokens = (0..<100).map { _ in BearerTokens.make() }
        #expect(Set(tokens).count == 100 && tokens.allSatisfy { $0.utf8.count == 64 })
    }
}
