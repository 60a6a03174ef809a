import DNSWire
import FuzzSupport
import Zones
import ZoneFile

/// The bytes as a zone file. What is read without error has to be records that a zone is made of, or refused in words.
@_cdecl("LLVMFuzzerTestOneInput")
public func readOne(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = Array(UnsafeRawBufferPointer(start: data, count: count))
    guard let apex = DomainName(wire: [7] + Array("example".utf8) + [0]) else { return 0 }
    let contents = ZoneFileParser.parseZone(text: text, file: "zone", apex: apex)
    for problem in contents.errors + contents.warnings {
        require(problem.line >= 1 && problem.column >= 1, "\(problem): no place")
        requireReadable(problem.message)
    }
    for located in contents.records {
        let record = located.record
        require(record.data.count <= 65_535, "RDATA of \(record.data.count) bytes")
        require(record.type.isWellFormed(record.data), "\(record.owner) \(record.type): malformed RDATA was read")
    }
    _ = try? FuzzModel.build(contents, apex: apex)
    return 0
}
