import CMaxMindDB
import Location

/// Walks the whole search tree in address order, and gives each range the number of its data record.
///
/// IPv6 trees hold IPv4 once and refer to it from `::ffff:0:0/96`, `2001::/32` and `2002::/16` too. Those are left
/// unknown here. (A Teredo address locates the server, not the client. 6to4 is mapped at look-up.)
struct TreeWalk {
    private let database: GeoDatabase
    private let records: DataRecords
    private var v4Walk: FamilyWalk<UInt32>
    private var v6Walk: FamilyWalk<UInt128>

    init(_ database: GeoDatabase) {
        self.database = database
        records = DataRecords(database)
        // A range ends in each of the tree's records. There is one record more than nodes. A small database should
        // not reserve as much as a large one.
        let most = Int(database.nodeCount) + 1
        v4Walk = FamilyWalk(records, alias: nil, expecting: min(4_000_000, most))
        v6Walk = FamilyWalk(
            records, alias: database.ipv4Depth == 96 ? UInt64(database.ipv4Node) : nil, expecting: min(5_000_000, most))
    }

    mutating func run() throws(GeoDataError) {
        if database.isIPv6 {
            // A tree without IPv4 data ends before ::/96.
            if database.ipv4Depth == 96 {
                if database.ipv4Node < database.nodeCount {
                    try v4Walk.walk(database.ipv4Node, address: 0, depth: 0)
                } else if let entry = database.wholeIPv4 {
                    try v4Walk.fill(entry)
                }
            }
            try v6Walk.walk(0, address: 0, depth: 0)
        } else {
            try v4Walk.walk(0, address: 0, depth: 0)
        }
    }

    var v4: PlaceRanges<UInt32> { v4Walk.ranges }
    var v6: PlaceRanges<UInt128> { v6Walk.ranges }
    /// Networks that hold data, both families.
    var networks: Int { v4Walk.networks + v6Walk.networks }
    /// Data records by number, the first of them unused.
    var entries: [MMDB_entry_s] { records.entries }
}

/// The nodes of a tree, read once each, and its data records by number.
private final class DataRecords {
    let database: GeoDatabase
    private var visited: UInt32 = 0
    /// Offset of a data record → its number in order of appearance, minus one: 0 is the unknown place.
    private var numbers: NumberTable
    /// The last record: neighbours often share one.
    private var last: (offset: UInt32, number: UInt32)?
    private(set) var entries: [MMDB_entry_s] = [MMDB_entry_s()]

    init(_ database: GeoDatabase) {
        self.database = database
        numbers = NumberTable(capacity: min(1 << 19, Int(database.nodeCount)))
    }

    func read(_ node: UInt32) throws(GeoDataError) -> MMDB_search_node_s {
        visited += 1
        // Each node has one parent, aliases aside, so more visits than nodes mean a loop.
        guard visited <= database.nodeCount else { throw database.damaged("its search tree loops") }
        var result = MMDB_search_node_s()
        guard MMDB_read_node(database.handle, node, &result) == MMDB_SUCCESS else {
            throw database.damaged("node \(node) cannot be read")
        }
        return result
    }

    func number(of entry: MMDB_entry_s) throws(GeoDataError) -> UInt32 {
        if let last, last.offset == entry.offset { return last.number }
        // libmaxminddb misreads a record that points between the tree and its data as one far behind the data.
        guard entry.offset < database.dataBytes else {
            throw database.damaged("a record of its search tree points nowhere")
        }
        let number = UInt32(numbers.number(of: entry.offset)) + 1
        if number == UInt32(entries.count) { entries.append(entry) }
        last = (entry.offset, number)
        return number
    }
}

/// Walks the addresses of one family.
private struct FamilyWalk<Address: FixedWidthInteger & UnsignedInteger & Sendable> {
    private let records: DataRecords
    /// The node of the other family, reached by aliases.
    private let alias: UInt64?
    private(set) var ranges = PlaceRanges<Address>()
    private(set) var networks = 0

    init(_ records: DataRecords, alias: UInt64?, expecting ranges: Int) {
        self.records = records
        self.alias = alias
        self.ranges.reserveCapacity(ranges)
    }

    /// The block of `depth` bits at `address` that `node` splits.
    mutating func walk(_ node: UInt32, address: Address, depth: Int) throws(GeoDataError) {
        let pair = try records.read(node)
        let right = address | ((1 as Address) << (Address.bitWidth - 1 - depth))
        try branch(pair.left_record, pair.left_record_type, pair.left_record_entry, address, depth + 1)
        try branch(pair.right_record, pair.right_record_type, pair.right_record_entry, right, depth + 1)
    }

    /// One record covers every address.
    mutating func fill(_ entry: MMDB_entry_s) throws(GeoDataError) {
        networks += 1
        ranges.set(from: 0, place: try records.number(of: entry))
    }

    private mutating func branch(
        _ record: UInt64, _ type: UInt8, _ entry: MMDB_entry_s, _ address: Address, _ depth: Int
    ) throws(GeoDataError) {
        switch Int(type) {
        case Int(MMDB_RECORD_TYPE_SEARCH_NODE) where record == alias:
            ranges.set(from: address, place: 0)
        case Int(MMDB_RECORD_TYPE_SEARCH_NODE) where depth < Address.bitWidth:
            try walk(UInt32(record), address: address, depth: depth)
        case Int(MMDB_RECORD_TYPE_EMPTY):
            ranges.set(from: address, place: 0)
        case Int(MMDB_RECORD_TYPE_DATA):
            networks += 1
            ranges.set(from: address, place: try records.number(of: entry))
        default:
            throw records.database.damaged("a record of its search tree points nowhere")
        }
    }
}
