import BPFRuntime
import LinuxSupport
import SystemPackage
import Testing

@Suite struct LibBPFErrorTests {
    @Test("bytes that are not an ELF file are refused with libbpf's message")
    func garbage() throws {
        let error = try #require(throws: SystemError.self) {
            try BPFObject(bytes: [UInt8](repeating: 7, count: 100), name: "garbage")
        }
        #expect(error.call == "bpf_object__open_mem garbage")
        // LIBBPF_ERRNO__FORMAT, which strerror(3) does not know.
        #expect(error.errno == Errno(rawValue: 4_001) && error.reason == "BPF object format invalid")
        #expect("\(error)".contains("ELF"), "\(error)")
    }
}
