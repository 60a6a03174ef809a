import BPFRuntime
import CFastPathABI
public import FastPathPlan
import IPNetworks
import Resolution
public import Steering

/// The state that a program adopts from the one it replaces, of this process or an earlier one.
public struct AdoptableState: Sendable {
    /// What belongs to slots of nodes: the memory of the words, and the counts of answers. And the slot of the generations
    /// whose census the earlier program reads there.
    struct Words: Sendable {
        let map: BPFMap
        let answers: NodeAnswers
        let generation: Int
    }

    /// The mappings that this process has of its own program.
    struct Open: Sendable {
        let words: NodeWords
        let rateBuckets: RateBuckets
    }

    /// Nil: the new program has its own words.
    let words: Words?
    /// Nil: counters start at zero.
    let counters: BPFMap?
    /// Rate limits. Nil: they start empty, as in a new process.
    let buckets: BPFMap?
    /// Nil when the earlier program belongs to another process.
    let open: Open?
    /// Words of the earlier program by the hash of the node's id.
    public let states: [UInt64: WordsOfNode]

    /// The slot that the earlier program reads; `nil`: the new program has its own words.
    public var generation: Int? { words?.generation }

    /// Whether both programs share the node words.
    public var sharesWords: Bool { words != nil }

    /// Whether the counters continue.
    public var sharesCounters: Bool { counters != nil }

    /// Adopts from a program of this process.
    init(_ maps: FastPathMaps) {
        words = Words(map: maps.wordsMap, answers: maps.nodeAnswers, generation: maps.generation)
        counters = maps.counters
        buckets = maps.bucketsMap
        open = Open(words: maps.words, rateBuckets: maps.rateBuckets)
        states = [:]
    }

    /// Adopts from the attached program that another process has pinned. Nil when there is none, or when its layout
    /// differs, so that its maps cannot be read.
    ///
    /// Its words are shared if each node of `image` has a slot there that is its own or free, and if all interfaces run
    /// that one program: the words have room for the census of two generations, and the new program needs one.
    /// Otherwise `states` holds their content, for words of the new program's own.
    public init?(of pins: PinnedFastPath, for image: FastPathImage) throws {
        guard let folder = try pins.folderInUse(), folder.layout == Int(NC_LAYOUT_VERSION) else { return nil }
        let map = try BPFMap.openPinned("\(folder.path)/node_words")
        guard let bytes = try map.lookup(index: 0), bytes.count == NodeWords.byteCount else { return nil }
        let found = Self.read(bytes)
        states = Dictionary(found.map { ($0.idHash, $0.words) }, uniquingKeysWith: { $1 })
        let owners = Dictionary(found.map { ($0.slot, $0.idHash) }, uniquingKeysWith: { $1 })
        let agree = image.model.steering.nodes.allSatisfy { (owners[$0.slot] ?? $0.idHash) == $0.idHash }
        let control = try BPFMap.openPinned("\(folder.path)/control").lookup(index: 0) ?? []
        let word = control.withUnsafeBytes { $0.count >= 4 ? $0.loadUnaligned(as: UInt32.self) : nil }
        let isShared = try agree && word != nil && pins.foldersInUse().count == 1
        words =
            if isShared, let word {
                try Words(
                    map: map,
                    answers: NodeAnswers(BPFMap.openPinned("\(folder.path)/node_answers"), owners: owners),
                    generation: Int(nc_generation_slot(word)))
            } else { nil }
        (buckets, open) = (nil, nil)
        let counters = try BPFMap.openPinned("\(folder.path)/counters")
        self.counters = counters.maxEntries == Int(NC_COUNTERS.rawValue) ? counters : nil
    }

    private static func read(_ bytes: [UInt8]) -> [(slot: Int, idHash: UInt64, words: WordsOfNode)] {
        let hashes = MemoryLayout<nc_words>.offset(of: \nc_words.id_hash) ?? 0
        return bytes.withUnsafeBytes { bytes in
            (0..<Int(NC_MAX_NODES)).compactMap { slot in
                let hash = bytes.loadUnaligned(fromByteOffset: hashes + 8 * slot, as: UInt64.self)
                guard hash != 0 else { return nil }
                func word(_ family: IPFamily?) -> UInt64 {
                    let index = Int(wordSet(of: family)) * Int(NC_MAX_NODES) + slot
                    return bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)
                }
                return (slot, hash, WordsOfNode(any: word(nil), v4: word(.v4), v6: word(.v6)))
            }
        }
    }
}

extension FastPathMaps {
    /// The state that a program replacing this one adopts.
    public var adoptableState: AdoptableState { AdoptableState(self) }
}
