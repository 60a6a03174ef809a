import CFastPathABI

/// What has changed at the names of a generation since its tables were filled from an image (`bpf/abi/overlay.h`).
///
/// Pure: it plans what is to be written, and knows what was. One change at a time: `settle` comes between two.
public struct NameOverlay: Sendable {
    /// A name that has changed.
    private struct Place {
        let word: UInt32
        /// The first cell that counts; `NC_NO_CELL`: there is no such name.
        var cell: UInt32
        /// What stands before the name there.
        var head: nc_name_entry
        /// Cells to be used again when something else counts.
        var entryRun: CellRoom.Run?
        var answerRun: CellRoom.Run?
    }

    /// An answer that has: its word, and where it is now.
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
    /// Buckets with names that the image has not.
    private var buckets: [UInt32: nc_name_bucket] = [:]
    private var written: [UInt32: nc_answer] = [:]
    private var nextWord: UInt32 = 1
    private var half: UInt32 = 0
    /// Whether a plan failed half-way: what is known here is not what is in the tables.
    private var isSpoilt = false
    /// `count` and `cells` before the last plan: what is in the tables when it failed.
    private var sound = (count: 0, cells: 0)

    /// - Parameters:
    ///   - entries: cells of the table of entries, those of the image included.
    ///   - answers: the same of answers.
    public init(_ image: FastPathImage, entries: Int, answers: Int) {
        self.image = image
        self.entries = CellRoom(image.nameEntries.count..<max(entries, image.nameEntries.count))
        self.answers = CellRoom(image.answers.count..<max(answers, image.answers.count))
        zones = image.zones
    }

    /// Names and answers that have changed, of at most `NC_OVERLAY_WORDS - 1`; not those of a plan that failed.
    public var count: Int { isSpoilt ? sound.count : Int(nextWord) - 1 }
    /// Cells taken of the tables.
    public var cells: Int { isSpoilt ? sound.cells : entries.used + answers.used }

    /// Plans a change of names; `nil` when it does not fit: the tables must be made anew.
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

    /// No packet reads any more what the last change replaced.
    public mutating func settle() {
        entries.settle()
        answers.settle()
    }

    // MARK: - Look-ups

    /// The entry of a name that has changed, in lower case; `nil` for others.
    func entry(of wire: [UInt8]) -> (now: nc_name_entry?, Void)? {
        places[wire].map { ($0.cell == NC_NO_CELL ? nil : $0.head, ()) }
    }

    /// A cell of answers that the image has not.
    func cell(_ index: UInt32) -> nc_answer? { written[index] }

    // MARK: - Replies that a zone's names share

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
        // Of a tailored name that user space decides nothing is told here, not even that it lacks a type.
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
                // The cells that the name is found by: they stay.
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

    /// Makes cells of answers, and takes room for them; nil when there is none, or no answer.
    private mutating func write(
        _ change: inout OverlayChange, in zone: ZoneCells? = nil, _ body: (inout AnswerTable) -> UInt32
    ) -> (run: CellRoom.Run, cell: UInt32)? {
        // Numbered where no table reaches: a cell of the draft must not pass for one that the zone shares.
        var draft = AnswerTable(behind: 1 << 31, in: zone, image.recipes)
        _ = body(&draft)
        let count = draft.cells.count - 1
        guard let run = answers.take(count) else { return nil }
        // The same at its place.
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

    /// The eight bytes of a cell in which the link stands, with the link.
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

    /// Puts a new name into a bucket: first where it is, then its tag.
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
