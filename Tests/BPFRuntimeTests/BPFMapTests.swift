import BPFRuntime
import Foundation
import LinuxSupport
import SystemPackage
import Testing

extension Root {
    @Suite struct Maps {
        static func hash(_ entries: Int = 8) throws -> BPFMap {
            try BPFMap.create(type: .hash, name: "test_hash", keySize: 4, valueSize: 8, maxEntries: entries)
        }

        static func array(_ entries: Int = 8, flags: BPFMap.Flags = []) throws -> BPFMap {
            try BPFMap.create(
                type: .array, name: "test_array", keySize: 4, valueSize: 8, maxEntries: entries, flags: flags)
        }

        @Test("keys of a hash map are inserted, replaced, listed and removed")
        func hash() throws {
            let map = try Self.hash()
            let key = bytes(UInt32(5))
            #expect(try map.lookup(key: key) == nil)
            try map.update(key: key, value: bytes(UInt64(1)), .absent)
            #expect(throws: SystemError.self) { try map.update(key: key, value: bytes(UInt64(2)), .absent) }
            try map.update(key: key, value: bytes(UInt64(3)), .present)
            #expect(try map.lookup(key: key) == bytes(UInt64(3)))
            #expect(try map.keys() == [key])
            #expect(try map.delete(key: key))
            #expect(try !map.delete(key: key))
            #expect(try map.keys().isEmpty)
        }

        @Test("an array is zero until written, and an index beyond its end finds nothing")
        func array() throws {
            let map = try Self.array(2)
            #expect(try map.lookup(index: 1) == bytes(UInt64(0)))
            try map.update(index: 1, value: bytes(UInt64(9)))
            #expect(try map.lookup(index: 1) == bytes(UInt64(9)))
            #expect(try map.lookup(index: 2) == nil)
            #expect(throws: SystemError.self) { try map.update(index: 2, value: bytes(UInt64(9))) }
        }

        @Test("keys and values of the wrong size are refused before the kernel reads them")
        func sizes() throws {
            let map = try Self.hash()
            #expect(throws: SystemError.self) { try map.update(key: [1], value: bytes(UInt64(1))) }
            #expect(throws: SystemError.self) { try map.update(key: bytes(UInt32(1)), value: [1]) }
            #expect(throws: SystemError.self) { try map.lookup(key: []) }
            #expect(throws: SystemError.self) { try map.lookupPerCPU(index: 0) }
            #expect(throws: SystemError.self) { try map.updateBatch(keys: bytes(UInt32(1)), values: [1, 2]) }
        }

        @Test("a per-CPU array gives one value for each possible CPU")
        func perCPU() throws {
            let map = try BPFMap.create(
                type: .perCPUArray, name: "test_cpus", keySize: 4, valueSize: 12, maxEntries: 2)
            let cpus = try BPFMap.possibleCPUs
            let values = (0..<cpus).map { [UInt8](repeating: UInt8($0 + 1), count: 12) }
            try map.updatePerCPU(key: bytes(UInt32(1)), values)
            #expect(try map.lookupPerCPU(index: 1) == values)
            #expect(try map.lookupPerCPU(index: 0) == values.map { _ in [UInt8](repeating: 0, count: 12) })
            #expect(throws: SystemError.self) { try map.lookupPerCPU(index: 2) }
            #expect(throws: SystemError.self) { try map.lookup(index: 0) }
        }

        @Test("a program's per-CPU counts add up")
        func counts() throws {
            let object = try Fixture.load()
            _ = try object.program("pass").testRun(packet: Fixture.frame, repeat: 100)
            let counts = try object.map("counters").lookupPerCPU(index: 0)
            let total = counts.map { $0.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) } }.reduce(0, +)
            #expect(total == 100)
        }

        @Test("a batch fills a hash, an array, and part of an array", arguments: [1, 1000, 100_000])
        func batch(entries: Int) throws {
            let indices = (0..<UInt32(entries)).map { $0 }
            let values = (0..<UInt64(entries)).map { $0 * 3 + 1 }
            for map in [try Self.hash(entries), try Self.array(entries)] {
                try indices.withUnsafeBytes { keys in
                    try values.withUnsafeBytes { try map.updateBatch(keys: keys, values: $0) }
                }
                for index in [0, entries / 2, entries - 1] {
                    #expect(try map.lookup(index: UInt32(index)) == bytes(values[index]))
                }
            }
            let part = try Self.array(entries + 1)
            try values.withUnsafeBytes { try part.updateBatch(from: 1, values: $0) }
            #expect(try part.lookup(index: 0) == bytes(UInt64(0)))
            #expect(try part.lookup(index: UInt32(entries)) == bytes(values[entries - 1]))
        }

        @Test("a batch larger than the map fails")
        func batchTooLarge() throws {
            let map = try Self.hash(1)
            #expect(throws: SystemError.self) {
                try map.updateBatch(keys: bytes(UInt64(1)), values: [UInt8](repeating: 0, count: 16))
            }
        }

        @Test("a pinned map is opened again by path and by id")
        func pin() throws {
            let folder = try PinFolder("map")
            let map = try Self.hash()
            try map.update(key: bytes(UInt32(1)), value: bytes(UInt64(2)))
            try map.pin("\(folder.path)/hash")
            let pinned = try BPFMap.openPinned("\(folder.path)/hash")
            #expect(pinned.id == map.id)
            #expect(pinned.name == "test_hash")
            #expect(try pinned.lookup(key: bytes(UInt32(1))) == bytes(UInt64(2)))
            #expect(try BPFMap.open(id: map.id).maxEntries == 8)
            #expect(throws: SystemError.self) { try map.pin("\(folder.path)/hash") }
            #expect(throws: SystemError.self) { try BPFMap.openPinned("\(folder.path)/other") }
        }

        @Test("a map is freed with its last owner")
        func release() throws {
            let id = try Self.hash().id
            // The kernel frees it after a grace period.
            var problem: Errno?
            for _ in 0..<3_000 where problem == nil {
                do { _ = try BPFMap.open(id: id) } catch let error as SystemError { problem = error.errno }
                if problem == nil { usleep(10_000) }
            }
            #expect(problem == .noSuchFileOrDirectory)
        }

        @Test("a map reports the memory that it uses")
        func memory() throws {
            #expect(try Self.array(10_000).memlockBytes >= 80_000)
        }
    }
}
