import CFastPathABI
import Testing

@Suite("Words of nodes, of the overlay and of generations")
struct NodeWordTests {
    @Test("a node's word has its state, share, TTL and version side by side")
    func packing() {
        #expect(nc_node_word(1, 256, NC_TTL_STABLE, 0) == 0x0000_ffff_ff01_0001)
        #expect(nc_node_word(5, 0, 60, 0x1234) == 0x1234_0000_3c00_0005)
        #expect(nc_node_word(0xff, 0xffff, 0xff_ffff, 0xffff) == .max)
        // What is too large for its field touches no other.
        #expect(nc_node_word(0x102, 0x1_0003, 0x100_0004, 0x1_0005) == nc_node_word(2, 3, 4, 5))
    }

    @Test("each field is read back as it was written")
    func fields() {
        var random = Numbers(4)
        for _ in 0..<1000 {
            let (state, share) = (UInt32(random.next() & 0xff), UInt32(random.next() & 0xffff))
            let (ttl, version) = (UInt32(random.next() & 0xff_ffff), UInt32(random.next() & 0xffff))
            let word = nc_node_word(state, share, ttl, version)
            #expect(nc_word_state(word) == state && nc_word_share(word) == share)
            #expect(nc_word_ttl(word) == ttl && nc_word_version(word) == version)
        }
    }

    @Test("words, identities and censuses are reached by slot, and no slot is outside")
    func places() {
        let words = UnsafeMutablePointer<nc_words>.allocate(capacity: 1)
        defer { words.deallocate() }
        let start = UnsafeMutableRawPointer(words)
        func offset(_ word: UnsafeMutablePointer<UInt64>) -> Int { UnsafeMutableRawPointer(word) - start }
        #expect(offset(nc_words_node(words, 0, 0)) == 0 && offset(nc_words_node(words, 0, 4095)) == 8 * 4095)
        #expect(offset(nc_words_node(words, 0, 4096)) == 0 && offset(nc_words_node(words, 2, 5)) == 8 * (8192 + 5))
        #expect(offset(nc_words_node(words, 4, 0)) == 0)
        #expect(offset(nc_words_id_hash(words, 0)) == 8 * 16384 && offset(nc_words_id_hash(words, 4097)) == 8 * 16385)
        #expect(offset(nc_words_census(words, 0, 0)) == 8 * 20480)
        #expect(offset(nc_words_census(words, 1, 255)) == 8 * (20480 + 256 + 255))
        #expect(offset(nc_words_census(words, 2, 256)) == 8 * 20480)
        nc_store_word(nc_words_node(words, 1, 9), 0x0123_4567_89ab_cdef)
        #expect(nc_load_word(nc_words_node(words, 1, 9)) == 0x0123_4567_89ab_cdef)
        #expect(MemoryLayout<nc_words>.size == 8 * (20480 + 512))
    }

    @Test("a word of the overlay has a cell for each half")
    func overlay() {
        let word = nc_overlay_word(0x8000_0001, 0xffff_ffff)
        #expect(word == 0xffff_ffff_8000_0001)
        #expect(nc_overlay_cell(word, 0) == 0x8000_0001 && nc_overlay_cell(word, 1) == NC_NO_CELL)
    }

    @Test(
        "the control word has the slot in its first bit and the half in its second",
        arguments: 0...3 as ClosedRange<UInt32>)
    func generation(word: UInt32) {
        let (slot, half) = (word % 2, word / 2)
        #expect(nc_generation_word(slot, half) == word)
        #expect(nc_generation_word(slot + 2, half + 2) == word)
        #expect(nc_generation_slot(word) == slot && nc_generation_half(word) == half)
    }

    @Test("every counter has a name of its own, and what is none has no name")
    func counters() {
        let names = (0..<NC_COUNTERS.rawValue).map { nc_counter_name($0).map { String(cString: $0) } }
        #expect(names.allSatisfy { $0?.isEmpty == false } && Set(names).count == names.count)
        #expect(nc_counter_name(NC_COUNTERS.rawValue) == nil && nc_counter_name(.max) == nil)
        #expect(names.first == "answered" && names.last == "pass_would_drop")
    }

    @Test("a cell of a table is 64 bytes further for each one before it, and there is none behind the last")
    func cells() {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 64 * 5, alignment: 64)
        defer { memory.deallocate() }
        var table = nc_host_table(cells: memory, count: 5)
        for index in 0..<5 as Range<UInt32> {
            #expect(nc_cell(&table, index) == UnsafeRawPointer(memory) + Int(64 * index))
        }
        for index in [5, 6, .max] as [UInt32] { #expect(nc_cell(&table, index) == nil) }
    }
}
