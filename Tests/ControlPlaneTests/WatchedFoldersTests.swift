import ControlPlane
import Foundation
import Testing

@Suite("Watched folders")
struct WatchedFoldersTests {
    @Test("notice the files that are named or match a pattern, and no others")
    func patterns() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "nearcast-watch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func write(_ name: String) throws { try Data("a".utf8).write(to: folder.appending(path: name)) }
        func remove(_ name: String) throws { try FileManager.default.removeItem(at: folder.appending(path: name)) }

        let folders = try WatchedFolders()
        folders.watch(WatchedFiles(paths: ["\(folder.path)/main.yaml"], patterns: ["\(folder.path)/*.conf"]))
        try write("notes.txt")
        try write(".web.conf.swp")
        try write(".hidden.conf")
        #expect(!folders.hasChanged())
        try write("web.conf")
        #expect(folders.hasChanged())
        try write("main.yaml")
        #expect(folders.hasChanged())
        #expect(!folders.hasChanged())
        try remove("web.conf")
        #expect(folders.hasChanged())
    }
}
