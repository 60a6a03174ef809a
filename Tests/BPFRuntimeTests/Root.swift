import BPFRuntime
import Foundation
import Testing

/// Everything that needs the kernel's consent, one test at a time.
///
/// Without root these tests fail, since a skipped one proves nothing; NEARCAST_ALLOW_SKIP=1 accepts the skip.
@Suite(.serialized, .enabled(if: kernelTestsRun, "NEARCAST_ALLOW_SKIP=1 and not root: NO KERNEL TEST RAN"))
enum Root {
    @Suite struct Support {
        @Test("this kernel and these privileges suffice for BPF")
        func probe() {
            #expect(BPFSupport.probe().map { "\($0)" } == nil)
        }
    }
}

/// A folder in the BPF file system that goes when its test ends.
final class PinFolder {
    let path: String

    init(_ name: String) throws {
        try BPFFileSystem.ensureMounted()
        path = "\(BPFFileSystem.root)/nearcast-test-\(getpid())-\(name)"
        try BPFFileSystem.makeDirectory(path)
    }

    deinit {
        do {
            try BPFFileSystem.removeTree(path)
        } catch {
            Issue.record(error)
        }
    }
}

/// A command that must succeed; its standard output.
@discardableResult
func run(_ command: String...) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(command.joined(separator: " "))")
    return String(decoding: text, as: UTF8.self)
}

/// A root user's tests run always, others' unless the environment lets them off.
private let kernelTestsRun = geteuid() == 0 || ProcessInfo.processInfo.environment["NEARCAST_ALLOW_SKIP"] != "1"
