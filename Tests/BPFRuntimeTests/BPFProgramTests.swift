import BPFRuntime
import Foundation
import LinuxSupport
import Testing

extension Root {
    @Suite struct Programs {
        @Test("a test run gives the verdict, the changed frame and a duration")
        func testRun() throws {
            let program = try Fixture.load().program("grow")
            let run = try program.testRun(packet: Fixture.frame)
            #expect(run.returnValue == 3)
            #expect(run.packet.count == Fixture.frame.count + 8)
            #expect(run.nanoseconds < 1_000_000)
        }

        @Test("in a test run the frame arrives on the given interface")
        func ingress() throws {
            let program = try Fixture.load().program("interface")
            #expect(try program.testRun(packet: Fixture.frame, ingressIndex: 1).returnValue == 1)
        }

        @Test("a frame shorter than an Ethernet header is refused")
        func short() throws {
            let program = try Fixture.load().program("pass")
            #expect(throws: SystemError.self) { try program.testRun(packet: [1, 2, 3]) }
        }

        @Test("a program reports its name, digest, verified instructions and machine code")
        func information() throws {
            let program = try Fixture.load().program("read_inner")
            #expect(program.name == "read_inner")
            #expect(program.tag.count == 16)
            #expect((10...200).contains(try program.verifiedInstructions))
            #expect(try program.jitedSize > 0)
        }

        @Test("a pinned program is opened again by path and by id")
        func pin() throws {
            let folder = try PinFolder("program")
            let program = try Fixture.load().program("pass")
            try program.pin("\(folder.path)/pass")
            let pinned = try BPFProgram.openPinned("\(folder.path)/pass")
            #expect((pinned.id, pinned.tag, pinned.name) == (program.id, program.tag, "pass"))
            #expect(try BPFProgram.open(id: program.id).tag == program.tag)
        }
    }
}
