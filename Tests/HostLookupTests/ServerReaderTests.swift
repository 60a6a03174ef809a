import Foundation
import HostLookup
import IPNetworks
import Testing

@Suite struct ServerReaderTests {
    @Test func `a file of servers is read again when it changes, appears or goes`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "nearcast-\(UUID()).conf").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        var reader = ServerReader(.file(path))
        #expect(reader.current() == [])
        for server in ["192.0.2.1", "192.0.2.22"] {
            try Data("nameserver \(server)\n".utf8).write(to: URL(filePath: path))
            #expect(reader.current().map { "\($0)" } == [server])
            #expect(reader.current().map { "\($0)" } == [server])
        }
        try FileManager.default.removeItem(atPath: path)
        #expect(reader.current() == [])
    }
}
