import FuzzSupport

/// The bytes as what a checked node sends: 0xFF ends a piece, 0xFE stands for a kibibyte of letters, so that short inputs
/// reach the limits.
@_cdecl("LLVMFuzzerTestOneInput")
public func readOne(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: data, count: count)
    let filling = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 10)
    let pieces = input.split(separator: 0xFF, omittingEmptySubsequences: false).map { piece in
        piece.flatMap { $0 == 0xFE ? filling : [$0] }
    }
    let whole = Array(pieces.joined())
    let expected = ReferenceHead.finding(in: whole)
    require(finding([whole]) == expected, "whole: \(finding([whole])), by the reference \(expected)")
    require(finding(pieces) == expected, "in pieces: \(finding(pieces)), whole \(expected)")
    // An array for each byte is slow.
    if whole.count <= 4_096 { require(finding(whole.map { [$0] }) == expected, "byte by byte: not \(expected)") }
    checkExpectation(pieces, whole)
    return 0
}

/// What the pieces come to; nothing is read behind the end.
private func finding(_ pieces: [[UInt8]]) -> HTTPHead.Finding {
    var head = HTTPHead()
    for piece in pieces {
        let finding = head.take(piece)
        if finding != .incomplete { return finding }
    }
    return .incomplete
}

/// Text that is looked for in what arrives is found exactly where it is there, however it is cut.
private func checkExpectation(_ pieces: [[UInt8]], _ whole: [UInt8]) {
    let wanted = "1.1 2"
    var expectation = Expectation(wanted, limit: whole.count)
    let isFound = pieces.contains { expectation.take($0) == .found }
    let bytes = Array(wanted.utf8)
    let isThere = whole.indices.contains { whole[$0...].starts(with: bytes) }
    require(isFound == isThere, "\(wanted) is \(isThere ? "there and not found" : "found and not there")")
}
