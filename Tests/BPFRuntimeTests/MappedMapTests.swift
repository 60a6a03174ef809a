import BPFRuntime
import Foundation
import LinuxSupport
import Testing

extension Root {
    @Suite struct Mapped {
        @Test("the next run of the program sees a word stored in a mapped data section")
        func store() throws {
            let object = try Fixture.load()
            let program = try object.program("read_word")
            let words = try object.map(".data.words").memoryMap(writable: true)
            #expect(words.count >= 600 * 8)
            for value in [1, 0xffff_ffff, 12345] as [UInt64] {
                words.storeWord(at: 599, value)
                #expect(words.loadWord(at: 599) == value)
                #expect(try program.testRun(packet: Fixture.frame).returnValue == UInt32(value))
            }
        }

        @Test("memory and system calls see the same values, each padded to 8 bytes")
        func sameBytes() throws {
            let map = try BPFMap.create(
                type: .array, name: "padded", keySize: 4, valueSize: 12, maxEntries: 1000, flags: .memoryMappable)
            let memory = try map.memoryMap(writable: true)
            #expect(memory.stride == 16)
            #expect(memory.count == 16_000)
            memory.withBytes { $0[16 * 999 + 11] = 5 }
            #expect(try map.lookup(index: 999) == [UInt8](repeating: 0, count: 11) + [5])
            try map.update(index: 1, value: [UInt8](repeating: 7, count: 12))
            let reader = try map.memoryMap(writable: false)
            #expect(reader.withBytes { Array($0[16..<28]) } == [UInt8](repeating: 7, count: 12))
        }

        @Test("a map without BPF_F_MMAPABLE cannot be memory-mapped")
        func unmappable() throws {
            #expect(throws: SystemError.self) { try Maps.array().memoryMap(writable: false) }
            #expect(throws: SystemError.self) { try Maps.hash().memoryMap(writable: false) }
        }
    }
}
