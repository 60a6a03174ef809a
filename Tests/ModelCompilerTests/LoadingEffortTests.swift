import ConfigurationModel
import ConfigurationYAML
import Fixtures
import Foundation
import ModelCompiler
import Resolution
import Steering
import Synchronization
import Testing

@Suite("The effort of loading")
struct LoadingEffortTests {
    /// Loads a configuration of one zone with `records` records, twice, the second time with a record more; how often
    /// the second was found to be long.
    private func reload(records: Int) throws -> Int {
        let folder = FileManager.default.temporaryDirectory.appending(path: "nct-\(getpid())-effort-\(records)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "top").path
        func write(_ count: Int) throws {
            let text = (0..<count).map { "a-record-of-forty-bytes-\($0) A 192.0.2.1\n" }.joined()
            let start = "$TTL 60\n@ SOA ns host 1 1 1 1 1\n@ NS ns\nns A 192.0.2.1\n"
            try (start + text).write(toFile: file, atomically: false, encoding: .utf8)
        }
        try write(records)
        let configuration = try ServerConfiguration.parse(
            yaml: "listen: [\"192.0.2.53:53\"]\nzones: [{origin: example.com, file: \(file)}]\n", file: "c.yaml",
            baseFolder: "/")
        var slots = SlotTable()
        let earlier = try ModelCompiler.compile(configuration, epoch: 1, slots: &slots)
        try write(records + 1)
        let calls = Atomic<Int>(0)
        let effort = LoadingEffort { calls.wrappingAdd(1, ordering: .relaxed) }
        let next = try ModelCompiler.compile(configuration, epoch: 2, slots: &slots, earlier: earlier, effort: effort)
        #expect(next.model.digest != earlier.model.digest)
        return calls.load(ordering: .relaxed)
    }

    @Test(
        "a change of a small zone is cheap, a change of a large zone is expensive", arguments: [(1000, 0), (40_000, 1)])
    func zones(records: Int, calls: Int) throws {
        #expect(try reload(records: records) == calls)
    }

    @Test(
        "a change of a large latency file is expensive, and an unchanged file is not read",
        arguments: [(1000, 0), (65_000, 1)])
    func latencies(lines: Int, calls: Int) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "nct-\(getpid())-latencies-\(lines)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func write(_ milliseconds: Int) throws {
            let text = (0..<lines).map { "cidr:10.\($0 >> 8).\($0 & 255).0/24,n1,\(milliseconds)\n" }.joined()
            let file = folder.appending(path: "rtt.csv")
            try text.write(to: file, atomically: false, encoding: .utf8)
            // Settled: a stamp of the last second says nothing.
            let old = Date(timeIntervalSinceNow: -60 - Double(milliseconds))
            try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: file.path)
        }
        try write(1)
        try "$TTL 60\n@ SOA ns host 1 1 1 1 1\n@ NS ns\nns A 192.0.2.1\n".write(
            to: folder.appending(path: "top"), atomically: false, encoding: .utf8)
        let configuration = try ServerConfiguration.parse(
            yaml: """
                listen: ["192.0.2.53:53"]
                zones: [{origin: example.com, file: top}]
                nodes: [{id: n1, addresses: [192.0.2.1], location: {latitude: 1, longitude: 2}}]
                policies: [{id: p, strategy: latency, latency: rtt.csv}]
                """, file: "c.yaml", baseFolder: folder.path)
        var slots = SlotTable()
        var loaded = try ModelCompiler.compile(configuration, epoch: 1, slots: &slots)
        try write(2)
        for expected in [calls, 0] {
            // The time of the inode's change cannot be set: it settles by itself.
            eventually { Self.secondsSinceChange(folder.appending(path: "rtt.csv").path) > 1.1 }
            let found = Atomic<Int>(0)
            let effort = LoadingEffort { found.wrappingAdd(1, ordering: .relaxed) }
            loaded = try ModelCompiler.compile(configuration, epoch: 2, slots: &slots, earlier: loaded, effort: effort)
            #expect(found.load(ordering: .relaxed) == expected)
        }
    }

    private static func secondsSinceChange(_ path: String) -> Double {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        return Date().timeIntervalSince1970 - Double(status.st_ctim.tv_sec) - Double(status.st_ctim.tv_nsec) * 1e-9
    }
}
