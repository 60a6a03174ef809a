import Dispatch
import Glibc
import LinuxSupport
import Synchronization
import SystemPackage
import Testing

@Suite("Threads") struct ThreadTests {
    private struct Failure: Error, Equatable {}

    /// As `ps -L` shows it.
    private static func ownName() -> String {
        guard let file = fopen("/proc/thread-self/comm", "r") else { return "" }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 64)
        guard fgets(&line, CInt(line.count), file) != nil else { return "" }
        return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    @Test("a thread has the name that it was given")
    func name() async throws {
        #expect(try await onThread(named: "nearcast test") { Self.ownName() } == "nearcast test")
        #expect(try joinThread(named: "joined") { Self.ownName() } == "joined")
        let (names, next) = AsyncStream.makeStream(of: String.self)
        try startThread(named: "started") { next.yield(Self.ownName()) }
        #expect(await names.first { _ in true } == "started")
    }

    @Test("an error thrown on the thread reaches the caller")
    func failure() async {
        await #expect(throws: Failure()) { try await onThread(named: "fails") { throw Failure() } }
        #expect(throws: Failure()) { try joinThread(named: "fails") { throw Failure() } }
    }

    @Test("a stack is as large as it was asked for", arguments: [64 << 10, 32 << 20])
    func stack(bytes: Int) async throws {
        let found = try await onThread(named: "stack", stackBytes: bytes) {
            // Stacks are mappings of their own, above a guard page.
            withUnsafePointer(to: 0) { Self.bytesMapped(at: UInt(bitPattern: $0)) }
        }
        #expect((bytes...bytes + (1 << 20)).contains(found), "\(found)")
    }

    /// The size of the mapping that holds an address (proc_pid_maps(5)).
    private static func bytesMapped(at address: UInt) -> Int {
        guard let bytes = try? RegularFile.contents(of: "/proc/self/maps") else { return 0 }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
            if ends.count == 2, (ends[0]..<ends[1]).contains(address) { return Int(ends[1] - ends[0]) }
        }
        return 0
    }

    @Test("if the system refuses a thread, its error is thrown and nothing runs")
    func refusal() async {
        // More than the address space has.
        let error = await #expect(throws: SystemError.self) {
            try await onThread(named: "huge", stackBytes: 1 << 60) { Issue.record("it ran") }
        }
        #expect(error?.call == "pthread_create huge")
        #expect(throws: SystemError.self) {
            try startThread(named: "tiny", stackBytes: 1) { Issue.record("it ran") }
        }
    }
}
