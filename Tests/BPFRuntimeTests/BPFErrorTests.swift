import BPFRuntime
import Foundation
import Testing

@Suite struct BPFErrorTests {
    @Test("an error names the call, the reason and what was said about it")
    func description() {
        let error = BPFError(call: "bpf_object__load", errno: EACCES, detail: "invalid access to packet")
        #expect("\(error)" == "bpf_object__load: Permission denied (invalid access to packet)")
        #expect("\(BPFError(call: "mmap", errno: ENOMEM))" == "mmap: Cannot allocate memory")
    }

    @Test("bytes that are no ELF file are refused with libbpf's words")
    func garbage() throws {
        let error = try #require(throws: BPFError.self) {
            try BPFObject(bytes: [UInt8](repeating: 7, count: 100), name: "garbage")
        }
        #expect(error.call == "bpf_object__open_mem garbage")
        #expect("\(error)".contains("ELF"), "\(error)")
    }
}
