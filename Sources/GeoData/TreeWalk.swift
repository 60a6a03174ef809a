import CMaxMindDB
import Location

/// Walks the whole search tree in order of address, and gives each range the number of its data record.
///
/// IPv6 trees hold IPv4 once and refer to it from `::ffff:0:0/96`, `2001::/32` and `2002::/16` too: those are
/// left unknown here. (A Teredo address says where its server is, not its client; 6to4 is mapped at look-up.)
struct TreeWalk {
    private let database: GeoDatabase
    private var visited: UInt32 = 0
    /// Offset of a data record → its number, in order of appearance; 0 is the unknown place.
    private var numbers: [UInt32: UInt32] = [:]
    /// Data records by number, the first of them unused.
    private(set) var entries: [MMDB_entry_s] = [MMDB_entry_s()]
    private(set) var v4 = PlaceRanges<UInt32>()
    private(set) var v6 = PlaceRanges<UInt128>()
    /// Networks that hold data, by family.
    private(set) var networksV4 = 0
    private(set) var networksV6 = 0

    init(_ database: GeoDatabase) {
        self.database = database
        numbers.reserveCapacity(600_000)
        v4.reserveCapacity(4_000_000)
        v6.reserveCapacity(5_000_000)
    }

    mutating func run() throws(GeoDataError) {
        if database.isIPv6 {
            // A tree without IPv4 data ends before ::/96.
            if database.ipv4Depth == 96 { try walkV4(database.ipv4Node, address: 0, depth: 0) }
            try walkV6(0, address: 0, depth: 0)
        } else {
            try walkV4(0, address: 0, depth: 0)
        }
    }

    private mutating func read(_ node: UInt32) throws(GeoDataError) -> MMDB_search_node_s {
        visited += 1
        // Each node has one parent, aliases aside: more visits than nodes mean a loop.
        guard visited <= database.nodeCount else { throw database.damaged("its search tree loops") }
        var result = MMDB_search_node_s()
        guard MMDB_read_node(database.handle, node, &result) == MMDB_SUCCESS else {
            throw database.damaged("node \(node) cannot be read")
        }
        return result
    }

    private mutating func number(of entry: MMDB_entry_s) throws(GeoDataError) -> UInt32 {
        if let known = numbers[entry.offset] { return known }
        // libmaxminddb takes a record that points between the tree and its data for one far behind the data.
        guard entry.offset < database.dataBytes else {
            throw database.damaged("a record of its search tree points nowhere")
        }
        let number = UInt32(entries.count)
        numbers[entry.offset] = number
        entries.append(entry)
        return number
    }

    private mutating func walkV4(_ node: UInt32, address: UInt32, depth: Int) throws(GeoDataError) {
        let pair = try read(node)
        let right = address | (1 << UInt32(31 - depth))
        try branchV4(pair.left_record, pair.left_record_type, pair.left_record_entry, address, depth + 1)
        try branchV4(pair.right_record, pair.right_record_type, pair.right_record_entry, right, depth + 1)
    }

    private mutating func branchV4(
        _ record: UInt64, _ type: UInt8, _ entry: MMDB_entry_s, _ address: UInt32, _ depth: Int
    ) throws(GeoDataError) {
        switch Int(type) {
        case Int(MMDB_RECORD_TYPE_SEARCH_NODE) where depth < 32:
            try walkV4(UInt32(record), address: address, depth: depth)
        case Int(MMDB_RECORD_TYPE_EMPTY):
            v4.set(from: address, place: 0)
        case Int(MMDB_RECORD_TYPE_DATA):
            networksV4 += 1
            v4.set(from: address, place: try number(of: entry))
        default:
            throw database.damaged("a record of its search tree points nowhere")
        }
    }

    private mutating func walkV6(_ node: UInt32, address: UInt128, depth: Int) throws(GeoDataError) {
        let pair = try read(node)
        let right = address | (1 << UInt128(127 - depth))
        try branchV6(pair.left_record, pair.left_record_type, pair.left_record_entry, address, depth + 1)
        try branchV6(pair.right_record, pair.right_record_type, pair.right_record_entry, right, depth + 1)
    }

    private mutating func branchV6(
        _ record: UInt64, _ type: UInt8, _ entry: MMDB_entry_s, _ address: UInt128, _ depth: Int
    ) throws(GeoDataError) {
        switch Int(type) {
        case Int(MMDB_RECORD_TYPE_SEARCH_NODE) where database.ipv4Depth == 96 && record == database.ipv4Node:
            v6.set(from: address, place: 0)
        case Int(MMDB_RECORD_TYPE_SEARCH_NODE) where depth < 128:
            try walkV6(UInt32(record), address: address, depth: depth)
        case Int(MMDB_RECORD_TYPE_EMPTY):
            v6.set(from: address, place: 0)
        case Int(MMDB_RECORD_TYPE_DATA):
            networksV6 += 1
            v6.set(from: address, place: try number(of: entry))
        default:
            throw database.damaged("a record of its search tree points nowhere")
        }
    }
}
