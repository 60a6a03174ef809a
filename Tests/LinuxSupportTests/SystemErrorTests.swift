import Glibc
import LinuxSupport
import SystemPackage
import Testing

@Suite struct SystemErrorTests {
    @Test("an error names the call, the reason and what the library printed")
    func description() {
        let refused = SystemError(
            call: "bpf_object__load", errno: .permissionDenied, detail: "invalid access to packet")
        #expect("\(refused)" == "bpf_object__load: Permission denied (invalid access to packet)")
        #expect("\(SystemError(call: "mmap", errno: .noMemory))" == "mmap: Cannot allocate memory")
        let library = SystemError(call: "load", errno: Errno(rawValue: 4_007), reason: "Kernel verifier blocks it")
        #expect("\(library)" == "load: Kernel verifier blocks it")
    }

    @Test("a call that sets errno throws it, and gives its value otherwise")
    func setting() throws {
        let error = #expect(throws: SystemError.self) {
            try callSettingErrno("open /nonexistent") { open("/nonexistent", O_RDONLY) }
        }
        #expect(error == SystemError(call: "open /nonexistent", errno: .noSuchFileOrDirectory))
        let descriptor = try callSettingErrno("open /dev/null") { open("/dev/null", O_RDONLY) }
        #expect(descriptor >= 0 && close(descriptor) == 0)
    }

    @Test("errno is read before the name of the call is built, which may change it")
    func order() {
        func name() -> String {
            close(-1)
            return "mkdir"
        }
        let error = #expect(throws: SystemError.self) {
            try callSettingErrno(name()) { mkdir("/nonexistent/x", 0o700) }
        }
        #expect(error?.errno == .noSuchFileOrDirectory)
    }

    @Test("a call that returns -errno throws it, and gives its value otherwise", arguments: [0, 7, -ENOSPC, -1])
    func returning(result: CInt) {
        do throws(SystemError) {
            #expect(try callReturningErrno("call") { result } == result)
            #expect(result >= 0)
        } catch { #expect(error == SystemError(call: "call", errno: Errno(rawValue: -result))) }
    }
}
