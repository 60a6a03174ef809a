import CFastPathABI
import DNSWire
import Serving

/// Answers that are the same for every client, and the directories that find them by type (`bpf/abi/answers.h`).
struct AnswerTable {
    /// Cell 0 is nobody's.
    private(set) var cells = [nc_answer()]
    private var answers: [RenderedReply: UInt32] = [:]
    /// Directories of names that share all they say.
    private var shared: [UInt32: UInt32] = [:]

    /// The cell of the directory; 0 where the resolver answers.
    mutating func directory(of answers: StaticAnswers) -> UInt32 {
        guard case .replies(let typed, let other) = answers else { return 0 }
        let isWhole = typed.count <= NC_DIRECTORY_TYPES
        // Of too many types some would be taken for absent.
        let otherCell = isWhole ? other.map { cell(of: $0, isShared: true) } ?? 0 : 0
        if typed.isEmpty {
            if otherCell == 0 { return 0 }
            if let known = shared[otherCell] { return known }
        }
        var directory = nc_directory()
        directory.other = otherCell
        for (index, entry) in typed.prefix(Int(NC_DIRECTORY_TYPES)).enumerated() {
            let answer = entry.reply.map { cell(of: $0, isShared: false) } ?? 0
            withUnsafeMutableBytes(of: &directory) { bytes in
                bytes.storeBytes(of: entry.type.rawValue, toByteOffset: 2 * index, as: UInt16.self)
                bytes.storeBytes(of: answer, toByteOffset: Self.answersOffset + 4 * index, as: UInt32.self)
            }
        }
        let place = append(directory)
        if typed.isEmpty { shared[otherCell] = place }
        return place
    }

    private static let answersOffset = MemoryLayout<nc_directory>.offset(of: \.answer) ?? 0

    /// The cell of an answer; 0 where it is too long.
    ///
    /// - Parameter isShared: whether other names may have it too.
    private mutating func cell(of reply: RenderedReply, isShared: Bool) -> UInt32 {
        if isShared, let known = answers[reply] { return known }
        guard reply.body.count <= NC_ANSWER_BYTES, reply.movingPointers.count <= NC_ANSWER_POINTERS,
            reply.code.rawValue < 16
        else { return 0 }
        var answer = nc_answer()
        answer.length = UInt16(reply.body.count)
        answer.code = UInt8(reply.code.rawValue)
        var flags: UInt32 = 0
        if reply.isAuthoritative { flags |= NC_ANSWER_AUTHORITATIVE.rawValue }
        if reply.isForUnsigned { flags |= NC_ANSWER_UNSIGNED.rawValue }
        if reply.extendedError != nil { flags |= NC_ANSWER_PLAIN.rawValue }
        answer.flags = UInt8(flags)
        answer.answers = reply.counts[0].bigEndian
        answer.authorities = reply.counts[1].bigEndian
        answer.additionals = reply.counts[2].bigEndian
        answer.pointers = UInt8(reply.movingPointers.count)
        let first = reply.body.prefix(Int(NC_ANSWER_FIRST_BYTES))
        withUnsafeMutableBytes(of: &answer.body) { bytes in first.withUnsafeBytes { bytes.copyBytes(from: $0) } }
        let place = append(answer)
        if !reply.movingPointers.isEmpty { reply.movingPointers.withUnsafeBytes { appendBytes($0[...]) } }
        reply.body.withUnsafeBytes { body in
            var rest = body.dropFirst(Int(NC_ANSWER_FIRST_BYTES))
            while !rest.isEmpty {
                appendBytes(rest.prefix(Int(NC_CELL_BYTES)))
                rest = rest.dropFirst(Int(NC_CELL_BYTES))
            }
        }
        if isShared { answers[reply] = place }
        return place
    }

    /// Appends a cell of another kind.
    private mutating func append<Cell: BitwiseCopyable>(_ cell: Cell) -> UInt32 {
        withUnsafeBytes(of: cell) { appendBytes($0[...]) }
        return UInt32(cells.count - 1)
    }

    private mutating func appendBytes(_ bytes: Slice<UnsafeRawBufferPointer>) {
        var cell = nc_answer()
        withUnsafeMutableBytes(of: &cell) { $0.copyBytes(from: bytes) }
        cells.append(cell)
    }
}
