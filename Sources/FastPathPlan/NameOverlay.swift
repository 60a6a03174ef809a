import CFastPathABI

/// The name overlay: the names of a generation that changed since its tables were filled from an image
/// (`bpf/abi/overlay.h`).
///
/// Pure: it plans what must be written, and knows what was written. Only one change may be pending: `settle` must be
/// called between two.
public struct NameOverlay: Sendable {
    /// The state of a changed name.
    private struct Place {
        let word: UInt32
        /// The first cell of the current entry; `NC_NO_CELL`: the name was removed.
        var cell: UInt32
        /// The fields before the name in that cell.
        var head: nc_name_entry
        /// Runs to be freed when the next change replaces them.
        var entryRun: CellRoom.Run?
        var answerRun: CellRoom.Run?
    }

    /// A changed answer that names share: its word, and its current cell.
    private struct SharedPlace {
        let word: UInt32
        var run: CellRoom.Run
    }

    private let image: FastPathImage
    private var entries: CellRoom
    private var answers: CellRoom
    private var places: [[UInt8]: Place] = [:]
    private var zones: [[UInt8]: ZoneCells]
    private var shared: [UInt32: SharedPlace] = [:]
    /// Buckets with names that the image does not have.
    private var buckets: [UInt32: nc_name_bucket] = [:]
    private var written: [UInt32: nc_answer] = [:]
    private var nextWord: UInt32 = 1
    private var half: UInt32 = 0
    /// Whether a plan failed half-way, so that this state differs from the tables.
    private var isSpoilt = false
    /// `count` and `cells` before the last plan: the state of the tables if it fails.
    private var sound = (count: 0, cells: 0)

    /// - Parameters:
    ///   - entries: number of cells in the entries table, including the image's.
    ///   - answers: the same for the answers table.
    public init(_ image: FastPathImage, entries: Int, answers: Int) {
        self.image = image
        self.entries = CellRoom(image.nameEntries.count..<max(entries, image.nameEntries.count))
        self.answers = CellRoom(image.answers.count..<max(answers, image.answers.count))
        zones = image.zones
    }

    /// Number of changed names and answers, at most `NC_OVERLAY_WORDS - 1`. A plan that failed is not counted.
    public var count: Int { isSpoilt ? sound.count : Int(nextWord) - 1 }
    /// Number of spare cells used in the tables.
    public var cells: Int { isSpoilt ? sound.cells : entries.used + answers.used }

    /// Plans a change of names; `nil` if it does not fit, so that new tables are needed.
    public mutating func plan(_ changes: StaticChanges) -> OverlayChange? {
        guard !isSpoilt else { return nil }
        sound = (count, cells)
        isSpoilt = true
        var change = OverlayChange(half: 1 - half)
        for zone in changes.zones { guard put(zone, &change) else { return nil } }
        for name in changes.names { guard put(name, &change) else { return nil } }
        for wire in changes.removed { guard remove(wire, &change) else { return nil } }
        half = change.half
        isSpoilt = false
        return change
    }

    /// Frees what the last change replaced: no packet reads it any more.
    public mutating func settle() {
        entries.settle()
        answers.settle()
    }

    // MARK: - Lookups

    /// The entry of a changed name, given in lower case; `nil` if it did not change.
    func entry(of wire: [UInt8]) -> (now: nc_name_entry?, Void)? {
        places[wire].map { ($0.cell == NC_NO_CELL ? nil : $0.head, ()) }
    }

    /// A cell of answers that is not in the image.
    func cell(_ index: UInt32) -> nc_answer? { written[index] }

    // MARK: - Negative replies that a zone's names share

    private mutating func put(_ zone: StaticZone, _ change: inout OverlayChange) -> Bool {
        guard var cells = zones[zone.apex] else { return false }
        guard put(zone.noData, &cells.noData, &change), put(zone.noName, &cells.noName, &change) else { return false }
        zones[zone.apex] = cells
        return true
    }

    private mutating func put(
        _ reply: RenderedReply?, _ place: inout ZoneCells.Place, _ change: inout OverlayChange
    ) -> Bool {
        guard reply != place.reply else { return true }
        guard let reply, place.cell != 0, let (run, cell) = write(&change, { $0.cell(of: reply) }), cell != 0
        else { return false }
        if let known = shared[place.cell] {
            answers.give(known.run)
            note(known.word, from: known.run.first, to: run.first, &change)
            shared[place.cell]?.run = run
        } else {
            guard let word = takeWord() else { return false }
            note(word, from: place.cell, to: run.first, &change)
            change.stores.append(
                link(
                    to: word, "answers", Int(place.cell), Int(NC_ANSWER_OVERLAY_AT), of: image.answers[Int(place.cell)])
            )
            shared[place.cell] = SharedPlace(word: word, run: run)
        }
        place.reply = reply
        return true
    }

    // MARK: - Names

    private mutating func put(_ name: StaticChanges.Name, _ change: inout OverlayChange) -> Bool {
        let wire = name.name.wire
        let known = places[wire]
        let original = known == nil ? image.place(of: wire[...]) : nil
        var head = known?.head ?? original.map { image.nameEntries[Int($0)] } ?? ProfileTable.plainHead
        // If user space decides a tailored name, the program knows nothing about it, not even which types are absent.
        let isLeft = name.isTailored && head.profile == NC_NO_PROFILE
        let own = isLeft ? StaticAnswers.left : name.name.own
        let below = name.name.below
        guard
            let answer = write(
                &change, in: zones[name.apex],
                {
                    (head.own, head.type) = $0.directory(of: own)
                    head.below = $0.directory(of: below).cell
                    return head.own
                })
        else { return false }
        head.overlay = 0
        var table = NameTableImage()
        table.append(wire, head)
        guard let run = entries.take(table.entries.count) else { return false }
        if let known {
            answers.give(known.answerRun)
            entries.give(known.entryRun)
            note(known.word, from: known.cell, to: run.first, &change)
            places[wire] = Place(
                word: known.word, cell: run.first, head: head, entryRun: run, answerRun: answer.run)
        } else {
            guard let word = takeWord() else { return false }
            note(word, from: original ?? NC_NO_CELL, to: run.first, &change)
            if let original {
                change.stores.append(linkEntry(original, to: word))
            } else {
                // The name is found by these cells, which stay in place.
                table.setOverlay(UInt16(word))
                guard insert(wire, run.first, &change) else { return false }
            }
            places[wire] = Place(
                word: word, cell: run.first, head: head, entryRun: original == nil ? nil : run, answerRun: answer.run)
        }
        change.cells.append(
            .init(table: "name_entries", first: run.first, bytes: table.entries.withUnsafeBytes { Array($0) }))
        return true
    }

    private mutating func remove(_ wire: [UInt8], _ change: inout OverlayChange) -> Bool {
        if var known = places[wire] {
            guard known.cell != NC_NO_CELL else { return true }
            note(known.word, from: known.cell, to: NC_NO_CELL, &change)
            answers.give(known.answerRun)
            entries.give(known.entryRun)
            (known.cell, known.answerRun, known.entryRun) = (NC_NO_CELL, nil, nil)
            places[wire] = known
            return true
        }
        guard let original = image.place(of: wire[...]) else { return true }
        guard let word = takeWord() else { return false }
        note(word, from: original, to: NC_NO_CELL, &change)
        change.stores.append(linkEntry(original, to: word))
        places[wire] = Place(word: word, cell: NC_NO_CELL, head: image.nameEntries[Int(original)])
        return true
    }

    // MARK: - Cells and words

    /// Builds answer cells and allocates room for them; nil if there is no room or no answer.
    private mutating func write(
        _ change: inout OverlayChange, in zone: ZoneCells? = nil, _ body: (inout AnswerTable) -> UInt32
    ) -> (run: CellRoom.Run, cell: UInt32)? {
        // Numbered beyond any table, so that no cell of the draft is confused with one that the zone shares.
        var draft = AnswerTable(behind: 1 << 31, in: zone, image.recipes)
        _ = body(&draft)
        let count = draft.cells.count - 1
        guard let run = answers.take(count) else { return nil }
        // The same cells at their final position.
        var table = AnswerTable(behind: run.count == 0 ? 0 : run.first - 1, in: zone, image.recipes)
        let cell = body(&table)
        guard table.cells.count - 1 == count else { return nil }
        for (index, cell) in table.cells.dropFirst().enumerated() { written[run.first + UInt32(index)] = cell }
        if run.count > 0 {
            change.cells.append(
                .init(
                    table: "answers", first: run.first,
                    bytes: table.cells.withUnsafeBytes { Array($0.dropFirst(Int(NC_CELL_BYTES))) }))
        }
        return (run, cell)
    }

    private mutating func takeWord() -> UInt32? {
        guard nextWord < NC_OVERLAY_WORDS else { return nil }
        defer { nextWord += 1 }
        return nextWord
    }

    private func note(_ word: UInt32, from old: UInt32, to new: UInt32, _ change: inout OverlayChange) {
        let pair = half == 0 ? (old, new) : (new, old)
        change.words.append((Int(word), nc_overlay_word(pair.0, pair.1)))
        change.settled.append((Int(word), nc_overlay_word(new, new)))
    }

    private func linkEntry(_ cell: UInt32, to word: UInt32) -> OverlayChange.Store {
        link(to: word, "name_entries", Int(cell), Int(NC_NAME_OVERLAY_AT), of: image.nameEntries[Int(cell)])
    }

    /// The eight bytes of a cell that contain the link, with the link set.
    private func link<Cell>(
        to word: UInt32, _ table: String, _ place: Int, _ offset: Int, of cell: Cell
    ) -> OverlayChange.Store {
        let first = offset & ~7
        let bytes = withUnsafeBytes(of: cell) { $0.loadUnaligned(fromByteOffset: first, as: UInt64.self) }
        let shift = UInt64(8 * (offset - first))
        return OverlayChange.Store(
            table: table, index: (place * Int(NC_CELL_BYTES) + first) / 8,
            value: bytes & ~(0xffff << shift) | UInt64(word) << shift)
    }

    /// Inserts a new name into a bucket: first its cell, then its tag.
    private mutating func insert(_ wire: [UInt8], _ cell: UInt32, _ change: inout OverlayChange) -> Bool {
        let hash = image.hash(of: wire)
        let mask = image.generation.bucket_mask
        let slots = Int(NC_BUCKET_SLOTS)
        for index in [nc_name_first_bucket(hash, mask), nc_name_second_bucket(hash, mask)] {
            var bucket = buckets[index] ?? image.nameBuckets[Int(index)]
            let free = withUnsafeBytes(of: bucket) { bytes in
                (0..<slots).first { bytes.load(fromByteOffset: 4 * $0, as: UInt32.self) == 0 }
            }
            guard let free else { continue }
            for (offset, value) in [(FastPathImage.entriesOffset, cell), (0, nc_name_tag(hash))] {
                let word = withUnsafeMutableBytes(of: &bucket) { bytes in
                    bytes.storeBytes(of: value, toByteOffset: offset + 4 * free, as: UInt32.self)
                    return bytes.load(fromByteOffset: (offset + 4 * free) & ~7, as: UInt64.self)
                }
                change.stores.append(
                    .init(
                        table: "name_buckets", index: (Int(index) * Int(NC_CELL_BYTES) + offset + 4 * free) / 8,
                        value: word))
            }
            buckets[index] = bucket
            return true
        }
        return false
    }
}
