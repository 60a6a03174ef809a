import Foundation
import Glibc
import Logging
import Logs
import Testing

@Suite struct LogFormatTests {
    static let fields: [(name: String, value: LogValue)] = [
        ("node", .text("fra1")), ("reason", .text("new \"disks\", a=b")), ("empty", .text("")),
        ("escape", .text("\u{1B}[31mred\n")), ("level", .text("of the node")),
        ("list", .list([.text("a"), .text("b c")])), ("object", .object([("k", .text("v"))])),
    ]

    @Test("logfmt quotes what has to be quoted, and nothing acts on a terminal")
    func logfmt() {
        let line = LogFormat.logfmt.line(
            time: "T", level: "info", message: "node changed state", fields: Self.fields)
        #expect(
            line == #"time=T level=info message="node changed state" node=fra1 reason="new \"disks\", a=b" empty="" "#
                + #"escape="\u001b[31mred\n" _level="of the node" list="[\"a\",\"b c\"]" object="{\"k\":\"v\"}""# + "\n"
        )
    }

    @Test("a JSON line is one object whose values are what was logged")
    func json() throws {
        let line = LogFormat.json.line(time: nil, level: "warning", message: "held", fields: Self.fields)
        #expect(line.hasPrefix(#"{"level":"warning","message":"held","node":"fra1","#) && line.hasSuffix("}\n"))
        #expect(line.count { $0 == "\n" } == 1)
        let read = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(read["reason"] as? String == "new \"disks\", a=b")
        #expect(read["escape"] as? String == "\u{1B}[31mred\n")
        #expect(read["_level"] as? String == "of the node" && read["level"] as? String == "warning")
        #expect(read["list"] as? [String] == ["a", "b c"])
        #expect(read["object"] as? [String: String] == ["k": "v"])
    }

    @Test("a key cannot end early or forge another")
    func keys() {
        #expect(
            LogFormat.logfmt.line(time: nil, level: "info", message: "m", fields: [("a b=c\"d\n", .text("x"))])
                == "level=info message=m a_b_c_d_=x\n")
    }

    @Test(
        "times are those of the calendar, in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_795_569_423_123, "2026-11-25T01:17:03.123Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func times(milliseconds: Int64, text: String) { #expect(LogTime.text(milliseconds: milliseconds) == text) }

    /// What a handler writes.
    static func lines(_ format: LogFormat, isJournal: Bool, _ use: (Logger) -> Void) throws -> [String] {
        let pipe = Pipe()
        let output = LineLogHandler.Output(
            format, isJournal: isJournal, descriptor: pipe.fileHandleForWriting.fileDescriptor)
        var logger = Logger(label: "test", factory: { _ in LineLogHandler(output) })
        logger.logLevel = .trace
        use(logger)
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return text.split(separator: "\n").map(String.init)
    }

    @Test("the journal gets priorities and no times: journalctl -p err finds errors")
    func journal() throws {
        let lines = try Self.lines(.logfmt, isJournal: true) { logger in
            for level in Logger.Level.allCases { logger.log(level: level, "m", metadata: ["b": "2", "a": "1"]) }
        }
        #expect(
            lines == [
                "<7>level=trace message=m a=1 b=2", "<7>level=debug message=m a=1 b=2",
                "<6>level=info message=m a=1 b=2", "<5>level=notice message=m a=1 b=2",
                "<4>level=warning message=m a=1 b=2", "<3>level=error message=m a=1 b=2",
                "<2>level=critical message=m a=1 b=2",
            ])
    }

    @Test("without the journal, lines begin with their time")
    func plain() throws {
        let lines = try Self.lines(.logfmt, isJournal: false) { $0.info("ready") }
        #expect(lines.count == 1)
        #expect(lines[0].wholeMatch(of: /time=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z level=info message=ready/) != nil)
    }

    @Test("the logger's own metadata comes along, and a message's own value wins")
    func metadata() throws {
        let lines = try Self.lines(.logfmt, isJournal: true) { logger in
            var logger = logger
            logger[metadataKey: "zone"] = "a.example"
            logger[metadataKey: "by"] = "x"
            logger.info("m", metadata: ["by": "y", "names": ["a", "b"]])
        }
        #expect(lines == [#"<6>level=info message=m by=y names="[\"a\",\"b\"]" zone=a.example"#])
    }
}
