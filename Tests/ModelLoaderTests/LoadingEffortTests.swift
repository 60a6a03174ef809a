import Foundation
import ModelLoader
import ServerConfiguration
import Serving
import Steering
import Synchronization
import Testing

@Suite("The effort of a loading")
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
        let earlier = try ModelLoader.load(configuration, epoch: 1, slots: &slots)
        try write(records + 1)
        let calls = Atomic<Int>(0)
        let effort = LoadingEffort { calls.wrappingAdd(1, ordering: .relaxed) }
        let next = try ModelLoader.load(configuration, epoch: 2, slots: &slots, earlier: earlier, effort: effort)
        #expect(next.model.digest != earlier.model.digest)
        return calls.load(ordering: .relaxed)
    }

    @Test("a change of a small zone is short, one of a large zone is long", arguments: [(1000, 0), (40_000, 1)])
    func zones(records: Int, calls: Int) throws {
        #expect(try reload(records: records) == calls)
    }
}
