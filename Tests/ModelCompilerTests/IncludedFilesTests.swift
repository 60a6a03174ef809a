import Foundation
import ModelCompiler
import Resolution
import Steering
import Testing
import Zones

/// A folder with a configuration of one zone, `example.com`, whose file is `zones/top`. Removed at the end.
private final class ZoneFolder {
    let path = FileManager.default.temporaryDirectory.appending(path: "nearcast-include-\(UUID())").path

    init(_ files: [String: String]) throws {
        try FileManager.default.createDirectory(atPath: "\(path)/zones/parts", withIntermediateDirectories: true)
        try write("config.yaml", "listen: [127.0.0.1:5300]\nzones:\n  - {origin: example.com, file: zones/top}\n")
        for (name, text) in files { try write(name, text) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    func load() throws -> LoadedModel {
        var slots = SlotTable()
        return try ModelCompiler.compile(configuration: "\(path)/config.yaml", epoch: 1, slots: &slots)
    }

    /// What is wrong, without the folder's name.
    func problems() throws -> [String] {
        do {
            _ = try load()
            return []
        } catch let problem as LoadProblem {
            return problem.problems.map { $0.replacing("\(path)/", with: "") }
        }
    }
}

private let start = "$TTL 60\n@ SOA ns admin 1 2 3 4 5\n@ NS ns\nns A 192.0.2.1\n"

@Suite("Included zone files")
struct IncludedFilesTests {
    @Test("paths are relative to the including file, and included files are part of the digest")
    func nested() throws {
        let folder = try ZoneFolder([
            "zones/top": start + "$INCLUDE parts/a sub\n", "zones/parts/a": "x A 192.0.2.2\n$INCLUDE b\n",
            "zones/parts/b": "y A 192.0.2.3\n",
        ])
        let before = try folder.load()
        let zone = try #require(before.model.zones.zones.first)
        #expect(zone.nameCount == 5, "the apex, ns, sub, x.sub and y.sub")
        try folder.write("zones/parts/b", "y A 192.0.2.4\n")
        #expect(try folder.load().model.digest != before.model.digest)
    }

    @Test("access lists are part of the digest, each alone and both together")
    func accessLists() throws {
        let folder = try ZoneFolder(["zones/top": start])
        let lists = [
            "", ", allow: [192.0.2.0/24]", ", deny: [192.0.2.0/24]", ", allow: [192.0.2.0/24], deny: [192.0.2.1]",
        ]
        let digests = try lists.map { list in
            try folder.write(
                "config.yaml",
                "listen: [127.0.0.1:5300]\nzones:\n  - {origin: example.com, file: zones/top\(list)}\n")
            return try folder.load().model.digest
        }
        #expect(Set(digests).count == lists.count)
    }

    @Test("a zone file and its included files have at most 512 MiB together, and a larger file is not read")
    func size() throws {
        let folder = try ZoneFolder(["zones/top": start + "$INCLUDE parts/a\n", "zones/parts/a": ""])
        #expect(truncate("\(folder.path)/zones/parts/a", 512 << 20) == 0)
        #expect(try folder.problems().contains { $0.contains("cannot include parts/a: it has more than 53687") })
        #expect(truncate("\(folder.path)/zones/top", 20 << 30) == 0)
        #expect(
            try folder.problems().contains { $0.contains("cannot read zones/top: it has more than 536870912 bytes") })
    }

    @Test(
        "no path leads out of the folder of the zone file",
        arguments: ["../secret", "parts/../../secret", "link", "folder/secret", "/etc/hostname"])
    func outside(path: String) throws {
        let folder = try ZoneFolder(["zones/top": start + "$INCLUDE \(path)\n", "secret": "x A 192.0.2.2\n"])
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/zones/link", withDestinationPath: "../secret")
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/zones/folder", withDestinationPath: "..")
        let problems = try folder.problems()
        #expect(problems.count == 1)
        #expect(
            problems.first?.hasPrefix("zones/top:5:10: cannot include \(path): it is outside") == true, "\(problems)")
    }

    @Test(
        "an unreadable file is a problem in the line that includes it",
        arguments: [
            ("nowhere", "No such file"), ("parts", "Is a directory"),
            ("pipe", "it is a pipe, which is not a regular file"),
            ("top", "includes itself"), ("./parts/../top", "includes itself"),
        ])
    func unreadable(path: String, message: String) throws {
        let folder = try ZoneFolder(["zones/top": start + "$INCLUDE \(path)\n"])
        #expect(mkfifo("\(folder.path)/zones/pipe", 0o600) == 0)
        let problems = try folder.problems()
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("zones/top:5:10: ") == true, "\(problems)")
        #expect(problems.first?.contains(message) == true, "\(problems)")
    }

    @Test("a pipe in place of the zone file is a problem, without waiting for a writer")
    func pipe() throws {
        let folder = try ZoneFolder([:])
        #expect(mkfifo("\(folder.path)/zones/top", 0o600) == 0)
        let problems = try folder.problems()
        #expect(problems.count == 1)
        #expect(
            problems.first?.hasSuffix("cannot read zones/top: it is a pipe, which is not a regular file") == true,
            "\(problems)")
    }

    @Test("all problems of a zone are reported at once, each in its file")
    func allAtOnce() throws {
        let folder = try ZoneFolder([
            "zones/top": start + "$INCLUDE parts/a\nns CNAME x\n",
            "zones/parts/a": "x BOGUS\nexample.net. A 192.0.2.2\n",
        ])
        let places = try folder.problems().map { $0.split(separator: " ")[0] }
        #expect(places == ["zones/top:4:1:", "zones/parts/a:1:3:", "zones/parts/a:2:1:"])
    }
}
