import ConfigurationModel
import ConfigurationYAML
import Glibc
import Testing

@Suite("A configuration file")
struct ConfigurationFileTests {
    /// Runs `body` with the path of a file that holds `bytes`, in a folder of its own, and removes both.
    private func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
        var template = Array("/tmp/nearcast-configuration-XXXXXX".utf8CString)
        let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
        let path = folder + "/nearcast.yaml"
        let file = try #require(fopen(path, "w"))
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
        defer {
            unlink(path)
            rmdir(folder)
        }
        try body(path)
    }

    private func problems(_ path: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try ServerConfiguration.load(path: path)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test("resolves relative paths from its own folder")
    func relativePaths() throws {
        try withFile(Array(ProblemCase.base.utf8)) { path in
            let folder = path.prefix(path.count - "/nearcast.yaml".count)
            let configuration = try ServerConfiguration.load(path: path)
            #expect(configuration.zones.map(\.file) == ["\(folder)/e.zone"])
        }
    }

    @Test("that is missing is named with the reason")
    func missing() {
        #expect(
            problems("/nonexistent/nearcast.yaml") == [
                "/nonexistent/nearcast.yaml: the file cannot be read (No such file or directory): "
                    + "check the path and its permissions"
            ])
    }

    @Test("that is a folder is refused")
    func folder() {
        #expect(
            problems("/tmp") == ["/tmp: the file cannot be read (Is a directory): check the path and its permissions"])
    }

    @Test("that is empty is refused")
    func empty() throws {
        try withFile([]) { path in
            #expect(
                problems(path) == [
                    "\(path):1:1: the file is empty, expected a mapping with at least listen and zones: "
                        + "see docs/configuration.md"
                ])
        }
    }

    @Test("that is not UTF-8 is refused at the first wrong byte")
    func encoding() throws {
        // The fourth character of line 2 is a lone 0xFF; the é before it counts as one column.
        try withFile(Array("listen: []\n# é".utf8) + [0xFF]) { path in
            #expect(
                problems(path) == [
                    "\(path):2:4: the file is not UTF-8 text from here, expected UTF-8: save it in that encoding"
                ])
        }
    }

    @Test("above 64 MiB is refused")
    func size() throws {
        try withFile([]) { path in
            #expect(truncate(path, ServerConfiguration.maximumFileSize + 1) == 0)
            #expect(
                problems(path) == [
                    "\(path): the file is larger than 64 MiB, expected at most that: split or shorten it"
                ])
        }
    }

    @Test("that serves as the example in the repository is valid")
    func example() throws {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        let configuration = try ServerConfiguration.load(path: root + "/tools/examples/nearcast.yaml")
        #expect(configuration.tailored.count == 1)
        #expect(access(configuration.zones[0].file, R_OK) == 0)
    }
}
