import BPFRuntime
import Foundation
import LinuxSupport
import SystemPackage
import Testing

extension Root {
    @Suite struct Objects {
        @Test("a loaded object gives its maps and programs, which outlive it")
        func load() throws {
            let (names, pass) = try { () throws -> (BPFMap, BPFProgram) in
                let object = try Fixture.load()
                return (try object.map("names"), try object.program("pass"))
            }()
            #expect(names.type == .hash)
            #expect((names.keySize, names.valueSize, names.maxEntries) == (8, 4, 4))
            try names.update(key: bytes(UInt64(1)), value: bytes(UInt32(2)))
            #expect(try names.lookup(key: bytes(UInt64(1))) == bytes(UInt32(2)))
            #expect(try pass.testRun(packet: Fixture.frame).returnValue == 2)
        }

        @Test("a data section is found by its name, with or without the object's name in front in the kernel")
        func sectionNames() throws {
            let object = try Fixture.load()
            #expect(
                Set(object.mapNames) == [
                    "outer", "untyped", "names", "counters", ".data.words", ".data.control", ".rodata.settings",
                ])
            #expect(try object.map(".data.words").name == ".data.words")
            #expect(try object.map(".data.control").name == ".data.control")
            #expect(try object.map(".rodata.settings").name == ".rodata.setting")
            #expect(try object.map(".data.words").flags.contains(.memoryMappable))
        }

        @Test("an unknown map is an error that lists the maps of the object")
        func unknownMap() throws {
            let object = try Fixture.load()
            let error = try #require(throws: SystemError.self) { try object.map("nowhere") }
            #expect(error.errno == .noSuchFileOrDirectory)
            #expect(error.detail?.contains("counters") == true)
        }

        @Test("sizes set before the load replace the source's")
        func maxEntries() throws {
            let object = try Fixture.open()
            try object.setMaxEntries(map: "names", 1000)
            try object.load()
            #expect(try object.map("names").maxEntries == 1000)
        }

        @Test("the contents of a read-only section are set before the load and frozen by it")
        func readOnlySection() throws {
            let object = try Fixture.open()
            #expect(try object.size(ofSection: ".rodata.settings") == 8)
            try object.setInitialValue(ofSection: ".rodata.settings", bytes(UInt32(7)))
            #expect(throws: SystemError.self) {
                try object.setInitialValue(ofSection: ".rodata.settings", at: 5, bytes(UInt32(7)))
            }
            try object.load()
            let settings = try object.map(".rodata.settings")
            #expect(try settings.lookup(index: 0) == bytes(UInt64(7)))
            #expect(throws: SystemError.self) { try settings.update(index: 0, value: bytes(UInt64(8))) }
        }

        @Test("a second object that reuses maps of the first sees and keeps their contents")
        func reuse() throws {
            let first = try Fixture.load()
            let words = try first.map(".data.words").memoryMap(writable: true)
            words.storeWord(at: 599, 41)

            let second = try Fixture.open()
            for name in ["names", "counters", ".data.words", ".data.control"] {
                try second.reuse(map: name, first.map(name))
            }
            try second.load()
            #expect(try second.map(".data.words").id == first.map(".data.words").id)
            #expect(try second.program("read_word").testRun(packet: Fixture.frame).returnValue == 41)
            words.storeWord(at: 599, 42)
            #expect(try second.program("read_word").testRun(packet: Fixture.frame).returnValue == 42)
        }

        @Test("the first load creates the pin, the next load adopts it")
        func pinPath() throws {
            let folder = try PinFolder("path")
            var ids: Set<UInt32> = []
            for _ in 0..<2 {
                let object = try Fixture.open()
                try object.setPinPath(map: "names", "\(folder.path)/names")
                try object.setPinPath(map: ".data.words", "\(folder.path)/words")
                try object.load()
                ids.insert(try object.map("names").id)
                #expect(try BPFMap.openPinned("\(folder.path)/words").id == object.map(".data.words").id)
            }
            #expect(ids.count == 1)
            #expect(try BPFMap.openPinned("\(folder.path)/names").id == ids.first)
        }

        @Test("an excluded program is not loaded")
        func leftOut() throws {
            let object = try Fixture.open()
            try object.setLoaded(program: "grow", false)
            try object.load()
            #expect(throws: SystemError.self) { try object.program("grow") }
            #expect(throws: Never.self) { try object.program("pass") }
        }

        @Test("the error for a rejected program ends with the verifier's reason")
        func rejection() throws {
            let object = try BPFObject(bytes: Fixture.compile(Fixture.unsafe), name: "careless")
            let error = try #require(throws: SystemError.self) { try object.load() }
            #expect(error.errno == .permissionDenied)
            #expect(error.detail?.contains("invalid access to packet") == true, "\(error)")
            #expect("\(error)".split(separator: "\n").count <= 12)
        }
    }
}
