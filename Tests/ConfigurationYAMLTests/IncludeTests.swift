import ConfigurationModel
import ConfigurationYAML
import DNSWire
import Glibc
import Health
import Testing

@Suite("A configuration of several files")
struct IncludeTests {
    /// Files in a folder of their own.
    private final class Folder {
        let path: String

        /// - Parameter files: texts by name. A name may have one folder before it.
        init(_ files: [String: String]) throws {
            var template = Array("/tmp/nearcast-include-XXXXXX".utf8CString)
            path = try #require(mkdtemp(&template).map { String(cString: $0) })
            for (name, text) in files { try write(text, name) }
        }

        deinit { _ = remove(path) }

        func write(_ text: String, _ name: String) throws {
            if let slash = name.firstIndex(of: "/") { mkdir("\(path)/\(name[..<slash])", 0o755) }
            let file = try #require(fopen("\(path)/\(name)", "w"))
            fputs(text, file)
            fclose(file)
        }

        /// Removes the folder and what is in it.
        private func remove(_ path: String) -> CInt {
            guard let stream = opendir(path) else { return unlink(path) }
            var names: [String] = []
            while let entry = readdir(stream) {
                names.append(
                    withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
                )
            }
            closedir(stream)
            for name in names where name != "." && name != ".." { _ = remove("\(path)/\(name)") }
            return rmdir(path)
        }
    }

    private static let main = """
        include: conf.d/*.yaml
        listen: [192.0.2.53:53]
        zones:
          - {origin: example.com, file: example.com.zone}
        """
    private static let nodes = """
        nodes:
          - {id: fra1, addresses: [198.51.100.10], location: {latitude: 50.11, longitude: 8.68}}
        pools: [{id: web, nodes: [fra1, nyc1]}]
        """
    private static let more = """
        nodes:
          - {id: nyc1, addresses: [198.51.100.20], location: {latitude: 40.71, longitude: -74.01}}
        zones:
          - {origin: example.net, file: example.net.zone}
        """

    private func load(_ folder: Folder) throws -> ServerConfiguration {
        try ServerConfiguration.load(path: "\(folder.path)/nearcast.yaml")
    }

    /// The problems, without the folder's path.
    private func problems(_ files: [String: String]) throws -> [String] {
        let folder = try Folder(files)
        do throws(ConfigurationError) {
            _ = try ServerConfiguration.load(path: "\(folder.path)/nearcast.yaml")
            return []
        } catch {
            return error.problems.map { $0.description.replacing("\(folder.path)/", with: "") }
        }
    }

    @Test("joins the lists of its files, in the order of their names")
    func joins() throws {
        let folder = try Folder([
            "nearcast.yaml": Self.main, "conf.d/20-more.yaml": Self.more, "conf.d/10-nodes.yaml": Self.nodes,
            "conf.d/notes.txt": "neither YAML: [nor read", "conf.d/.hidden.yaml": "neither: [",
        ])
        let configuration = try load(folder)
        #expect(configuration.nodes.map(\.id) == ["fra1", "nyc1"])
        #expect(configuration.pools.map { $0.members.map(\.node) } == [["fra1", "nyc1"]])
        #expect(configuration.zones.map(\.origin.description) == ["example.com.", "example.net."])
    }

    @Test("resolves relative paths from the folder of the file that has them")
    func relativePaths() throws {
        let folder = try Folder(["nearcast.yaml": Self.main, "conf.d/a.yaml": Self.more])
        #expect(
            try load(folder).zones.map(\.file) == [
                "\(folder.path)/example.com.zone", "\(folder.path)/conf.d/example.net.zone",
            ])
    }

    @Test("merges mappings key by key")
    func merges() throws {
        let folder = try Folder([
            "nearcast.yaml": Self.main + "\nhealth: {interval: 3s}\nidentity: {nsid: a}",
            "conf.d/a.yaml": "health: {checks: [{type: icmp}]}\nidentity: {version: '1'}\n" + Self.more,
        ])
        let configuration = try load(folder)
        #expect(configuration.nodes[0].health.checks.map(\.intervalMilliseconds) == [3_000])
        #expect(configuration.identity.nsid == Array("a".utf8))
        #expect(configuration.identity.version == "1")
    }

    @Test("takes a list of paths, and files that are empty or include others")
    func lists() throws {
        let folder = try Folder([
            "nearcast.yaml": "include: [nodes.yaml, empty.yaml, none/*.yaml]\nlisten: [192.0.2.53:53]",
            "nodes.yaml": "include: ./zones/all.yaml\n" + Self.nodes, "empty.yaml": "# nothing yet\n",
            "zones/all.yaml": Self.more,
        ])
        #expect(try load(folder).zones.map(\.file) == ["\(folder.path)/zones/example.net.zone"])
    }

    @Test(
        "reports each problem at its place",
        arguments: [
            (
                "conf.d/b.yaml", Self.nodes,
                [
                    "conf.d/a.yaml:3:33: pool \"web\" names node \"nyc1\", which is not among nodes (fra1, fra1): add it under nodes or correct the spelling",
                    "conf.d/b.yaml:2:10: node \"fra1\" is defined twice, first at conf.d/a.yaml:2:10: remove or rename one",
                    "conf.d/b.yaml:3:14: pool \"web\" is defined twice, first at conf.d/a.yaml:3:14: remove or rename one",
                ]
            ),
            (
                "conf.d/b.yaml", Self.more + "\nstate: b\nwatch: true\nnods: []",
                [
                    "conf.d/b.yaml:5:1: state is given twice, first at nearcast.yaml:5:1, expected once: remove one",
                    "conf.d/b.yaml:7:1: unknown key \"nods\" at the top level, expected \(known): did you mean nodes?",
                ]
            ),
            (
                "conf.d/b.yaml", Self.more + "\nlisten: [",
                [
                    "conf.d/b.yaml:6:1: the YAML is malformed (did not find expected node content while parsing a flow node from line 6): correct the syntax here or just before"
                ]
            ),
            (
                "conf.d/b.yaml", "include: ../nearcast.yaml",
                [
                    "conf.d/b.yaml:1:10: conf.d/../nearcast.yaml includes itself (nearcast.yaml > conf.d/b.yaml > conf.d/../nearcast.yaml): remove this include"
                ]
            ),
            (
                "conf.d/b.yaml", "include: [a.yaml, none.yaml, '${NEARCAST_UNSET}/x.yaml', '*/x.yaml']",
                [
                    "conf.d/b.yaml:1:11: conf.d/a.yaml is included twice, first at nearcast.yaml:1:10: remove one, or make the pattern narrower",
                    "conf.d/b.yaml:1:19: the included file \"conf.d/none.yaml\" cannot be read (No such file or directory): check the path and its permissions",
                    "conf.d/b.yaml:1:30: include names the environment variable NEARCAST_UNSET, which is not set: set it, or write the path out",
                    "conf.d/b.yaml:1:58: include has \"*/x.yaml\", expected a path with wildcards only in its last part: write it like conf.d/*.yaml",
                ]
            ),
        ] as [(String, String, [String])])
    func places(_ name: String, _ text: String, _ expected: [String]) throws {
        let files = ["nearcast.yaml": Self.main + "\nstate: a", "conf.d/a.yaml": Self.nodes, name: text]
        #expect(try problems(files).joined(separator: "\n") == expected.joined(separator: "\n"))
    }

    @Test("replaces environment variables in paths, and nowhere else")
    func variables() throws {
        let folder = try Folder([
            "nearcast.yaml": """
            listen: [192.0.2.53:53]
            state: ${NEARCAST_TEST_STATE}/state
            identity: {version: "${NEARCAST_TEST_STATE}"}
            zones:
              - {origin: example.com, file: "${NEARCAST_TEST_STATE}/$${a}$b.zone"}
            """
        ])
        setenv("NEARCAST_TEST_STATE", "/srv/dns", 1)
        defer { unsetenv("NEARCAST_TEST_STATE") }
        let configuration = try load(folder)
        #expect(configuration.state.path == "/srv/dns/state")
        #expect(configuration.zones.map(\.file) == ["/srv/dns/${a}$b.zone"])
        #expect(configuration.identity.version == "${NEARCAST_TEST_STATE}")
    }

    @Test("refuses variables that are not set, empty or malformed")
    func badVariables() throws {
        setenv("NEARCAST_TEST_EMPTY", "", 1)
        defer { unsetenv("NEARCAST_TEST_EMPTY") }
        let text = """
            listen: [192.0.2.53:53]
            state: ${NEARCAST_UNSET}/state
            control: ${NEARCAST_TEST_EMPTY}/control
            zones:
              - {origin: example.com, file: "${A B}/zone"}
            """
        #expect(
            try problems(["nearcast.yaml": text]) == [
                "nearcast.yaml:2:8: state names the environment variable NEARCAST_UNSET, which is not set: set it, or write the path out",
                "nearcast.yaml:3:10: control names the environment variable NEARCAST_TEST_EMPTY, which is empty: set it, or write the path out",
                "nearcast.yaml:5:33: file of zone \"example.com\" is \"${A B}/zone\", expected ${NAME} for an environment variable: correct the name, or write $$ for a dollar sign",
            ])
    }

    @Test("has a stamp that notices changes of every file, and files that come and go")
    func stamps() throws {
        let folder = try Folder([
            "nearcast.yaml": Self.main, "conf.d/a.yaml": Self.nodes + "\n" + "# ", "conf.d/b.yaml": "\n",
        ])
        let path = "\(folder.path)/nearcast.yaml"
        let stamp = ServerConfiguration.read(path: path).stamp
        #expect(stamp.isUpToDate)
        #expect(stamp.patterns == ["\(folder.path)/conf.d/*.yaml"])
        #expect(stamp.paths == [path, "\(folder.path)/conf.d/a.yaml", "\(folder.path)/conf.d/b.yaml"])
        try folder.write("# another\n", "conf.d/b.yaml")
        #expect(!stamp.isUpToDate)
        let second = ServerConfiguration.read(path: path).stamp
        try folder.write("", "conf.d/c.yaml")
        #expect(!second.isUpToDate)
        let third = ServerConfiguration.read(path: path).stamp
        unlink("\(folder.path)/conf.d/c.yaml")
        #expect(!third.isUpToDate)
        #expect(ServerConfiguration.read(path: path).stamp.isUpToDate)
    }

    private static let known = ConfigurationDeclaration.keys.joined(separator: ", ") + " or include"
}
