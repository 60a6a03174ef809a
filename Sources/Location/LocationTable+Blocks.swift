public import CFastPathABI
public import IPNetworks

extension LocationTable {
    /// Calls `body` with every block whose ECS queries get the same answers, in order of address: its first address,
    /// its length (the scope), and the number of its place.
    ///
    /// An undivided IPv6 network of 16 bits would give 65,536 equal blocks: only the first is reported. 6to4 is left
    /// out, because it is located as IPv4.
    public func forEachBlock(_ family: IPFamily, _ body: (_ first: nc_address, _ length: Int, _ place: Int) -> Void) {
        switch family {
        case .v4: walk(from: 0, through: UInt64(UInt32.max) << 32, NC_FAMILY_V4, body)
        case .v6:
            for prefix in 0..<UInt64(65536) where prefix != 0x2002 {
                let isDivided = isDivided(rootIndex: UInt32(prefix))
                let end = isDivided ? prefix << 48 | (1 << 48 - 1) : prefix << 48
                walk(from: prefix << 48, through: end, NC_FAMILY_V6, body)
            }
        }
    }

    /// - Parameters:
    ///   - first: upper 64 bits of the first address, which begins a block.
    ///   - last: upper 64 bits of the last address; blocks are no longer than 64 bits.
    private func walk(
        from first: UInt64, through last: UInt64, _ family: Int32, _ body: (nc_address, Int, Int) -> Void
    ) {
        var next = first
        while true {
            let address = nc_address(hi: next, lo: 0, family: UInt32(family), reserved: 0)
            let found = find(address)
            body(address, Int(found.scope), Int(found.place))
            let (sum, isPast) = next.addingReportingOverflow(1 << (64 - UInt64(found.scope)))
            guard !isPast, sum <= last else { return }
            next = sum
        }
    }
}
