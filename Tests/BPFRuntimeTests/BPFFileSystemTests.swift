import BPFRuntime
import Foundation
import LinuxSupport
import Testing

extension Root {
    @Suite struct FileSystem {
        @Test("folders are created with their parents, listed, renamed and removed with their contents")
        func tree() throws {
            let folder = try PinFolder("tree")
            try BPFFileSystem.makeDirectory("\(folder.path)/a/b")
            try BPFFileSystem.makeDirectory("\(folder.path)/a/b")
            try Maps.hash().pin("\(folder.path)/a/b/map")
            #expect(try BPFFileSystem.list("\(folder.path)/a/b") == ["map"])
            try BPFFileSystem.rename("\(folder.path)/a/b/map", to: "\(folder.path)/a/moved")
            #expect(try BPFFileSystem.list("\(folder.path)/a") == ["b", "moved"])
            #expect(throws: Never.self) { try BPFMap.openPinned("\(folder.path)/a/moved") }
            try BPFFileSystem.removeTree("\(folder.path)/a")
            #expect(!BPFFileSystem.exists("\(folder.path)/a"))
            #expect(try BPFFileSystem.list("\(folder.path)/a").isEmpty)
            #expect(throws: Never.self) { try BPFFileSystem.removeTree("\(folder.path)/a") }
        }

        @Test(
            "nothing outside a BPF file system is created or removed, and the mount point stays",
            arguments: ["/sys/fs/bpf", "/", "relative", "/sys/fs/bpf/../cgroup"])
        func guarded(path: String) {
            #expect(throws: SystemError.self) { try BPFFileSystem.removeTree(path) }
        }

        @Test("an ordinary folder is left alone")
        func ordinaryFolder() throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "nearcast-\(UUID())").path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            #expect(throws: SystemError.self) { try BPFFileSystem.removeTree(folder) }
            #expect(throws: SystemError.self) { try BPFFileSystem.makeDirectory("\(folder)/x") }
            #expect(BPFFileSystem.exists(folder))
        }

        @Test("mounting twice changes nothing")
        func mount() throws {
            try BPFFileSystem.ensureMounted()
            try BPFFileSystem.ensureMounted()
            #expect(BPFFileSystem.isBPF(BPFFileSystem.root))
        }
    }
}
