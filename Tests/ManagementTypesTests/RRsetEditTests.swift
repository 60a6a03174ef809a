import ControlFailures
import ManagementTypes
import Testing

@Suite struct RRsetEditTests {
    @Test("a list of changes that cannot be read says where")
    func list() {
        #expect(throws: Never.self) { try RRsetEdit.list(of: Array("[{\"name\":\"a\",\"type\":\"A\"}]".utf8), in: "-") }
        do throws(ControlFailure) {
            _ = try RRsetEdit.list(of: Array("[{\"name\":\"a\"}]".utf8), in: "f.json")
            Issue.record("it was read")
        } catch { #expect(error.message.hasPrefix("f.json: ") && error.message.hasSuffix("type is missing")) }
    }
}
