import ConfigurationModel
import Testing

@Suite("A JSON pointer")
struct JSONPointerTests {
    @Test(
        "the examples of RFC 6901, section 5, are read and written",
        arguments: [
            ("", []), ("/foo", ["foo"]), ("/foo/0", ["foo", "0"]), ("/", [""]), ("/a~1b", ["a/b"]), ("/c%d", ["c%d"]),
            ("/e^f", ["e^f"]), ("/g|h", ["g|h"]), ("/i\\j", ["i\\j"]), ("/k\"l", ["k\"l"]), ("/ ", [" "]),
            ("/m~0n", ["m~n"]), ("/~01", ["~1"]), ("//a/", ["", "a", ""]),
        ])
    func forms(text: String, tokens: [String]) throws {
        let pointer = try #require(JSONPointer(text))
        #expect(pointer.tokens == tokens)
        #expect(pointer.description == text)
    }

    @Test("text that is not a JSON pointer is refused", arguments: ["a", "a/b", " /a", "/a~", "/a~2b", "/~/a"])
    func refused(text: String) { #expect(JSONPointer(text) == nil) }

    @Test("members and elements can be appended")
    func appending() {
        let pointer = JSONPointer().appending("nodes").appending(12).appending("a/b~c")
        #expect(pointer.description == "/nodes/12/a~1b~0c")
    }

    @Test("a value sorts before its children, and elements sort by index")
    func order() {
        let texts = ["", "/a", "/a/0", "/a/2", "/a/10", "/a/10/x", "/b"]
        #expect(texts.reversed().compactMap { JSONPointer($0) }.sorted().map(\.description) == texts)
    }
}

@Suite("The location of a problem")
struct DocumentLocationTests {
    private static let text = DocumentLocation.text(FileName("a.yaml"), TextPosition(line: 3, column: 7))

    @Test("each kind of location has one description, with which a problem begins")
    func descriptions() throws {
        let pointer = try #require(JSONPointer("/nodes/0/id"))
        let cases: [(DocumentLocation, String)] = [
            (.file(FileName("a.yaml")), "a.yaml"), (Self.text, "a.yaml:3:7"), (.pointer(pointer), "/nodes/0/id"),
            (.pointer(JSONPointer()), "the document"),
        ]
        for (location, description) in cases {
            #expect(location.description == description)
            let problem = ConfigurationError.Problem(at: location, "it is wrong", remedy: "correct it")
            #expect(problem.description == "\(description): it is wrong: correct it")
        }
    }

    @Test("control characters in a pointer are escaped")
    func escapes() {
        let location = DocumentLocation.pointer(JSONPointer(tokens: ["views", "\u{1B}[2J"]))
        #expect(location.description == "/views/\\u{1B}[2J")
    }

    @Test("a message that contains a remedy gets no second one")
    func withoutRemedy() {
        let problem = ConfigurationError.Problem(at: Self.text, "it is wrong: correct it", remedy: nil)
        #expect(problem.description == "a.yaml:3:7: it is wrong: correct it")
    }

    @Test("problems are ordered by file, line and column, and files come before documents")
    func order() throws {
        let locations: [DocumentLocation] = [
            .file(FileName("a.yaml")), .text(FileName("a.yaml"), TextPosition(line: 3, column: 10)),
            .text(FileName("a.yaml"), TextPosition(line: 20, column: 1)), .file(FileName("b.yaml")),
            .text(FileName("b.yaml"), TextPosition(line: 1, column: 1)), .pointer(JSONPointer()),
            .pointer(try #require(JSONPointer("/a"))),
        ]
        #expect(locations.reversed().sorted() == locations)
    }
}
