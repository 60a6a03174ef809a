import DNSWire
import Testing

@Suite("Record types and classes")
struct RecordTypeTests {
    @Test(
        "mnemonics and numbers are read in any case and printed in their known form",
        arguments: [
            ("A", 1, "A"), ("aaaa", 28, "AAAA"), ("TYPE1", 1, "A"), ("type65280", 65280, "TYPE65280"),
            ("HTTPS", 65, "HTTPS"), ("nsap-ptr", 23, "NSAP-PTR"), ("TYPE262", 262, "WALLET"), ("dlv", 32769, "DLV"),
        ] as [(String, UInt16, String)])
    func types(text: String, number: UInt16, printed: String) {
        let type = RecordType(text)
        #expect(type?.rawValue == number && type?.description == printed)
    }

    @Test("other texts are refused", arguments: ["", "B", "TYPE", "TYPE65536", "TYPE-1", "TYPE+1", "CLASS1"])
    func refused(text: String) { #expect(RecordType(text) == nil) }

    @Test("classes are read in both forms")
    func classes() {
        #expect(RecordClass("in") == .in && RecordClass("CLASS3") == .ch && RecordClass("TYPE1") == nil)
        #expect(RecordClass(rawValue: 77).description == "CLASS77")
    }

    @Test(
        "meta types are not data types",
        arguments: [(RecordType.any, true), (.opt, true), (.axfr, true), (.caa, false), (.a, false)])
    func meta(type: RecordType, isMeta: Bool) { #expect(type.isMeta == isMeta) }

    @Test("RDATA is checked where names are followed or lengths are fixed")
    func data() {
        #expect(RecordType.a.isWellFormed([1, 2, 3, 4]) && !RecordType.a.isWellFormed([1, 2, 3]))
        #expect(
            RecordType.mx.isWellFormed([0, 1, 0]) && !RecordType.mx.isWellFormed([0]) && !RecordType.mx.isWellFormed([])
        )
        #expect(!RecordType.ns.isWellFormed([0, 0]) && !RecordType.txt.isWellFormed([9]))
    }

    @Test("every compressible name is a field of its type's layout, at the stated offset")
    func compressibleNames() {
        let sizes: [DataField: Int] = [.uint8: 1, .uint16: 2, .uint32: 4]
        for number in UInt16.min...UInt16.max {
            let type = RecordType(rawValue: number)
            guard let names = type.compressibleNames else { continue }
            let fields = type.layout ?? []
            #expect(fields.prefix { $0 != .name }.reduce(0) { $0 + (sizes[$1] ?? 0) } == names.offset, "\(type)")
            #expect(fields.count { $0 == .name } == names.count, "\(type)")
        }
    }
}
