import CFastPathABI
import DNSWire
import Resolution

/// Answers that are the same for every client, and the directories that list them by type (`bpf/abi/answers.h`).
struct AnswerTable {
    /// Cell 0 is reserved.
    private(set) var cells = [nc_answer()]
    /// The index in the whole table of this part's cell 0.
    private let origin: UInt32
    private var answers: [RenderedReply: UInt32] = [:]
    /// Directories that names share because all their answers are the same.
    private var shared: [UInt32: UInt32] = [:]
    /// `answers` and `shared` from before a large zone, whose names share only with each other.
    private var outside: ([RenderedReply: UInt32], [UInt32: UInt32])?

    var recipes: Recipes

    /// - Parameter plan: how tailored records are composed; nil: user space composes them.
    init(_ plan: RecipePlan?) {
        origin = 0
        recipes = Recipes(plan: plan)
    }

    /// A part of a table in use. Its cells come after `origin`.
    ///
    /// - Parameter zone: the zone whose names share negative replies that are already in the table.
    init(behind origin: UInt32, in zone: ZoneCells?, _ plan: RecipePlan?) {
        self.origin = origin
        recipes = Recipes(plan: plan)
        guard let zone else { return }
        for place in [zone.noData, zone.noName] {
            guard let reply = place.reply, place.cell != 0 else { continue }
            answers[reply] = place.cell
            shared[place.cell] = place.directory
        }
    }

    /// Begins a zone whose names share cells with no other zone: adds the cells of its negative replies.
    mutating func enter(_ zone: StaticZone) -> ZoneCells {
        outside = (answers, shared)
        (answers, shared) = ([:], [:])
        func place(_ reply: RenderedReply?) -> ZoneCells.Place {
            let cell = reply.map { sharedCell(of: $0) } ?? 0
            return .init(reply: reply, cell: cell, directory: directory(of: .replies([], other: reply)).cell)
        }
        return ZoneCells(noData: place(zone.noData), noName: place(zone.noName))
    }

    /// Ends the zone begun by `enter`.
    mutating func leave() {
        (answers, shared) = outside ?? (answers, shared)
        outside = nil
    }

    /// Where a name's answers are: the cell of its directory (0: the resolver answers), and the type of the answer that
    /// directly follows the directory (0: none).
    mutating func directory(of answers: StaticAnswers) -> (cell: UInt32, type: UInt16) {
        let typed: [StaticAnswers.Typed]
        let otherCell: UInt32
        switch answers {
        case .left: return (0, 0)
        case .replies(let replies, let other):
            typed = replies
            // With too many types, the directory would be incomplete, and existing types would look absent.
            otherCell = typed.count <= NC_DIRECTORY_TYPES ? other.map { sharedCell(of: $0) } ?? 0 : 0
        case .alias(let replies, let other):
            typed = replies
            otherCell = other.map { cell(of: $0) } ?? 0
        }
        if typed.isEmpty {
            if otherCell == 0 { return (0, 0) }
            if let known = shared[otherCell] { return (known, 0) }
        }
        var directory = nc_directory()
        directory.other = otherCell
        // Reserves the directory's cell, so that the first answer follows it.
        let place = append(directory)
        var next: UInt16 = 0
        for (index, entry) in typed.prefix(Int(NC_DIRECTORY_TYPES)).enumerated() {
            let answer =
                entry.reply.map { entry.isShared ? sharedCell(of: $0) : cell(of: $0) }
                ?? entry.composed.map { cell(of: $0) } ?? 0
            if answer == place + 1 { next = entry.type.rawValue }
            withUnsafeMutableBytes(of: &directory) { bytes in
                bytes.storeBytes(of: entry.type.rawValue, toByteOffset: 2 * index, as: UInt16.self)
                bytes.storeBytes(of: answer, toByteOffset: Self.answersOffset + 4 * index, as: UInt32.self)
            }
        }
        withUnsafeBytes(of: directory) { bytes in
            withUnsafeMutableBytes(of: &cells[Int(place - origin)]) { $0.copyBytes(from: bytes) }
        }
        if typed.isEmpty { shared[otherCell] = place }
        return (place, next)
    }

    private static let answersOffset = MemoryLayout<nc_directory>.offset(of: \.answer) ?? 0

    /// The cell of an answer that other names may share.
    private mutating func sharedCell(of reply: RenderedReply) -> UInt32 {
        if let known = answers[reply] { return known }
        let place = cell(of: reply)
        answers[reply] = place
        return place
    }

    /// The cell of an answer; 0 if the program cannot send it to any client.
    mutating func cell(of reply: RenderedReply) -> UInt32 {
        let hasBody = reply.length <= NC_ANSWER_BYTES
        guard reply.code.rawValue < 16, hasBody ? reply.movingPointers.count <= NC_ANSWER_POINTERS : reply.least > 0,
            reply.extendedError == nil || reply.body.isEmpty
        else { return 0 }
        var answer = nc_answer()
        answer.length = UInt16(clamping: reply.length)
        answer.least = UInt16(clamping: reply.least)
        answer.code = UInt8(reply.code.rawValue)
        answer.response_class = UInt8(reply.verdict.responseClass?.rawValue ?? NC_CLASS_ERROR.rawValue)
        var flags: UInt32 = 0
        if reply.isAuthoritative { flags |= NC_ANSWER_AUTHORITATIVE.rawValue }
        if reply.isForUnsigned { flags |= NC_ANSWER_UNSIGNED.rawValue }
        if let error = reply.extendedError {
            flags |= NC_ANSWER_EXPLAINED.rawValue
            answer.error_or_overlay = error.rawValue.bigEndian
        }
        answer.flags = UInt8(flags)
        answer.answers = reply.counts[0].bigEndian
        answer.authorities = reply.counts[1].bigEndian
        answer.additionals = reply.counts[2].bigEndian
        guard hasBody else { return append(answer) }
        answer.pointers = UInt8(reply.movingPointers.count)
        let first = reply.body.prefix(Int(NC_ANSWER_FIRST_BYTES))
        withUnsafeMutableBytes(of: &answer.body) { bytes in first.withUnsafeBytes { bytes.copyBytes(from: $0) } }
        let place = append(answer)
        if !reply.movingPointers.isEmpty { reply.movingPointers.withUnsafeBytes { appendBytes($0[...]) } }
        reply.body.withUnsafeBytes { body in
            _ = append(body.dropFirst(Int(NC_ANSWER_FIRST_BYTES)))
        }
        return place
    }

    /// Appends a cell of another type.
    mutating func append<Cell: BitwiseCopyable>(_ cell: Cell) -> UInt32 {
        withUnsafeBytes(of: cell) { appendBytes($0[...]) }
        return origin + UInt32(cells.count - 1)
    }

    /// Appends bytes that fill any number of cells; returns the first cell.
    mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt32 {
        let first = origin + UInt32(cells.count)
        var rest = bytes
        while !rest.isEmpty {
            appendBytes(rest.prefix(Int(NC_CELL_BYTES)))
            rest = rest.dropFirst(Int(NC_CELL_BYTES))
        }
        return first
    }

    private mutating func appendBytes(_ bytes: Slice<UnsafeRawBufferPointer>) {
        var cell = nc_answer()
        withUnsafeMutableBytes(of: &cell) { $0.copyBytes(from: bytes) }
        cells.append(cell)
    }
}

/// Where the negative replies are that all names of a zone share.
struct ZoneCells: Sendable {
    struct Place: Sendable {
        /// The current reply.
        var reply: RenderedReply?
        /// 0: user space answers.
        let cell: UInt32
        /// The directory of names that have no other answers.
        let directory: UInt32
    }

    var noData: Place
    var noName: Place
}
