/// Writes to tables in use, in this order, that change names for packets with one final store.
public struct OverlayChange: Sendable {
    /// Cells that nothing refers to yet.
    public struct Cells: Sendable {
        /// The map's name.
        public let table: String
        public let first: UInt32
        public let bytes: [UInt8]
    }

    /// Eight bytes at offset 8 · `index`. At most one field in them changes.
    public struct Store: Sendable {
        public let table: String
        public let index: Int
        public let value: UInt64
    }

    public internal(set) var cells: [Cells] = []
    /// The overlay's words by number: one half has what packets read now, the other what they will read.
    public internal(set) var words: [(number: Int, value: UInt64)] = []
    /// Links to words, and new names. They have no effect until the control word selects the other half.
    public internal(set) var stores: [Store] = []
    /// The half to be selected.
    public internal(set) var half: UInt32
    /// The final words, written when no packet reads the old half any more.
    public internal(set) var settled: [(number: Int, value: UInt64)] = []
}
