import CFastPathABI

/// Writes lists and their backstops in the layout of `bpf/abi/select.h`.
struct ListWriter {
    private let nodes: [SteeringNode]
    /// A list refers to its backstop by number, from 1; 0 means none.
    private(set) var lists: [nc_list] = []
    private(set) var backstops: [nc_list] = []
    private var numbers: [ArraySlice<Int>: UInt32] = [:]

    init(_ nodes: [SteeringNode]) { self.nodes = nodes }

    mutating func add(_ order: ListedOrder) {
        var list = nc_list()
        list.count = UInt8(order.local.count)
        withUnsafeMutableBytes(of: &list) { bytes in
            for (index, candidate) in order.local.enumerated() {
                let slot = UInt16(nodes[candidate.node].slot)
                bytes.storeBytes(of: slot, toByteOffset: Self.slotOffset + 2 * index, as: UInt16.self)
                bytes.storeBytes(of: candidate.weight, toByteOffset: Self.weightOffset + 2 * index, as: UInt16.self)
                bytes.storeBytes(of: UInt8(candidate.band), toByteOffset: Self.bandOffset + index, as: UInt8.self)
            }
        }
        var flags: UInt32 = order.isComplete ? NC_LIST_COMPLETE.rawValue : 0
        if let last = order.local.last, last.band + 1 < order.local.count { flags |= NC_LIST_BANDS.rawValue }
        list.flags = UInt8(flags)
        list.backstop = backstop(order.behind)
        list.behind = UInt16(1 << order.behind.count - 1)
        lists.append(list)
    }

    private mutating func backstop(_ members: ArraySlice<Int>) -> UInt32 {
        if members.isEmpty { return 0 }
        if let known = numbers[members] { return known }
        var cell = nc_list()
        withUnsafeMutableBytes(of: &cell) { bytes in
            for (index, node) in members.enumerated() {
                bytes.storeBytes(of: UInt16(nodes[node].slot), toByteOffset: 2 * index, as: UInt16.self)
            }
        }
        backstops.append(cell)
        numbers[members] = UInt32(backstops.count)
        return UInt32(backstops.count)
    }

    private static let slotOffset = MemoryLayout<nc_list>.offset(of: \nc_list.slot) ?? 8
    private static let weightOffset = MemoryLayout<nc_list>.offset(of: \nc_list.weight) ?? 24
    private static let bandOffset = MemoryLayout<nc_list>.offset(of: \nc_list.band) ?? 40
}
