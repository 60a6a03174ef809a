import Glibc
import LinuxSupport
import Testing

@Suite("A file that is read whole")
struct RegularFileTests {
    /// Runs `body` with a path in a folder of its own, and removes both.
    private func withPath(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/nearcast-file-XXXXXX".utf8CString)
        let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
        let path = folder + "/file"
        defer {
            unlink(path)
            rmdir(folder)
        }
        try body(path)
    }

    private func write(_ count: Int, to path: String) throws -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        let file = try #require(fopen(path, "w"))
        #expect(fwrite(bytes, 1, count, file) == count)
        fclose(file)
        return bytes
    }

    @Test("gives its bytes, however many", arguments: [0, 1, 4095, 4096, 4097, 1 << 20, 3_000_001])
    func bytes(count: Int) throws {
        try withPath { path in
            let written = try write(count, to: path)
            #expect(try RegularFile.contents(of: path) == written)
            #expect(try RegularFile.contents(of: path, limit: count) == written)
        }
    }

    @Test("is refused if it is one byte too long", arguments: [1, 5000, 3_000_001])
    func limit(count: Int) throws {
        try withPath { path in
            _ = try write(count, to: path)
            #expect(throws: FileProblem.tooLarge(limit: count - 1)) {
                try RegularFile.contents(of: path, limit: count - 1)
            }
        }
    }

    @Test(
        "is refused with its kind if it is not a regular file",
        arguments: [
            ("/dev/zero", "it is a device, which is not a regular file"), ("/tmp", "Is a directory"),
            ("/nonexistent", "No such file or directory"),
        ])
    func others(path: String, reason: String) {
        #expect(problem(path)?.description == reason)
    }

    @Test("is never a pipe, and a pipe is refused without waiting for a writer")
    func pipe() throws {
        try withPath { path in
            try #require(mkfifo(path, 0o600) == 0)
            #expect(problem(path) == .notRegular("a pipe"))
            #expect(problem(path)?.remedy == "name a regular file")
        }
    }

    private func problem(_ path: String) -> FileProblem? {
        do throws(FileProblem) {
            _ = try RegularFile.contents(of: path)
            return nil
        } catch { return error }
    }
}
