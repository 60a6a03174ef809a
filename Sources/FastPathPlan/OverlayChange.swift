/// What is to be written into tables in use, in this order, to change names for packets in one store.
public struct OverlayChange: Sendable {
    /// Cells that nothing leads to yet.
    public struct Cells: Sendable {
        /// The map's name.
        public let table: String
        public let first: UInt32
        public let bytes: [UInt8]
    }

    /// Eight bytes at `index` times 8, of which at most one field changes.
    public struct Store: Sendable {
        public let table: String
        public let index: Int
        public let value: UInt64
    }

    public internal(set) var cells: [Cells] = []
    /// The overlay's words, by their numbers: what packets read now in one half, and in the other what they are to read.
    public internal(set) var words: [(number: Int, value: UInt64)] = []
    /// Links to words, and new names: all mean what was before until the control word says the other half.
    public internal(set) var stores: [Store] = []
    /// The half that counts then.
    public internal(set) var half: UInt32
    /// The words when no packet reads the half before any more.
    public internal(set) var settled: [(number: Int, value: UInt64)] = []
}
