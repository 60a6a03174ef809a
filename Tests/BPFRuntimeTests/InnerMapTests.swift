import BPFRuntime
import Foundation
import LinuxSupport
import SystemPackage
import Testing

extension Root {
    @Suite struct InnerMaps {
        @Test("memory-mapped inner arrays of any size are filled, installed, and selected by one control word")
        func swap() throws {
            let object = try Fixture.open()
            try object.setInitialValue(ofSection: ".rodata.settings", bytes(UInt32(3)))
            try object.load()
            let program = try object.program("read_inner")
            let outer = try object.map("outer")
            let generation = try object.map(".data.control").memoryMap(writable: true)
            func answer() throws -> UInt32 { try program.testRun(packet: Fixture.frame).returnValue }

            #expect(try outer.inner(at: 0) == nil)
            #expect(try answer() == 0)
            for round in 1...6 {
                let inner = try Fixture.inner("inner_\(round)", entries: round * 1000)
                try inner.memoryMap(writable: true).storeWord(at: 3, UInt64(round))
                try outer.setInner(at: UInt32(round & 1), inner)
                #expect(try answer() == UInt32(round - 1), "the slot being filled is not the one being read")
                generation.storeWord(at: 0, UInt64(round))
                #expect(try answer() == UInt32(round))
                let placed = try #require(try outer.inner(at: UInt32(round & 1)))
                #expect(placed.id == inner.id)
                #expect(placed.maxEntries == round * 1000)
            }
            try outer.removeInner(at: 0)
            #expect(try outer.inner(at: 0) == nil)
            #expect(try answer() == 0)
        }

        @Test("an index beyond a small inner array finds nothing, however large the template")
        func bounds() throws {
            let object = try Fixture.open()
            try object.setInitialValue(ofSection: ".rodata.settings", bytes(UInt32(3)))
            try object.load()
            let inner = try Fixture.inner("small", entries: 3)
            for index in 0..<3 as Range<UInt32> {
                try inner.update(index: index, value: bytes(UInt64(9)))
            }
            try object.map("outer").setInner(at: 0, inner)
            #expect(try object.program("read_inner").testRun(packet: Fixture.frame).returnValue == 0)
        }

        @Test(
            "an inner map with other flags or another value size is refused",
            arguments: [(8, [.inner]), (8, [.memoryMappable]), (16, [.memoryMappable, .inner])]
                as [(Int, BPFMap.Flags)])
        func unfit(valueSize: Int, flags: BPFMap.Flags) throws {
            let outer = try Fixture.load().map("outer")
            let inner = try BPFMap.create(
                type: .array, name: "unfit", keySize: 4, valueSize: valueSize, maxEntries: 1, flags: flags)
            let error = try #require(throws: SystemError.self) { try outer.setInner(at: 0, inner) }
            #expect(error.errno == .invalidArgument)
        }

        @Test("a template given at run time serves an outer map whose source has none")
        func template() throws {
            let object = try Fixture.load()
            let inner = try Fixture.inner("by_hand", entries: 77)
            try inner.update(index: 0, value: bytes(UInt64(6)))
            try object.map("untyped").setInner(at: 0, inner)
            #expect(try object.program("read_untyped").testRun(packet: Fixture.frame).returnValue == 6)
        }
    }
}
