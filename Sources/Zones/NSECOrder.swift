/// The owners of a zone's NSEC records in canonical order (RFC 4034, section 6.1).
struct NSECOrder: Sendable {
    private let owners: [Int32]

    /// - Parameter owners: Nodes that have NSEC; not empty.
    init(_ owners: [Int32], names: NameTable) {
        // Signers already write zones in this order, which makes the sort fast.
        self.owners = owners.sorted { left, right in
            names.withName(at: Int(left)) { left in
                names.withName(at: Int(right)) { canonicalOrder(left, $0) < 0 }
            }
        }
    }

    /// The owner of the record that matches or covers a lower-cased name: the last one that is not after it.
    func owner(covering name: UnsafeRawBufferPointer, names: NameTable) -> Int {
        var (low, high) = (0, owners.count)
        while low < high {
            let middle = (low + high) / 2
            let order = names.withName(at: Int(owners[middle])) { canonicalOrder($0, name) }
            if order <= 0 { low = middle + 1 } else { high = middle }
        }
        // The apex sorts before all names of its zone. If it has no record, the last record covers the name.
        return Int(owners[low > 0 ? low - 1 : owners.count - 1])
    }
}

/// Compares two lower-cased wire names label by label from the root: negative, zero or positive.
func canonicalOrder(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { offsets in
        let leftCount = labelOffsets(left, into: offsets, at: 0)
        let rightCount = labelOffsets(right, into: offsets, at: 128)
        for label in 1..<min(leftCount, rightCount) + 1 {
            let leftStart = Int(offsets[leftCount - label])
            let rightStart = Int(offsets[128 + rightCount - label])
            let (leftLength, rightLength) = (Int(left[leftStart]), Int(right[rightStart]))
            for index in 1..<min(leftLength, rightLength) + 1 {
                let difference = Int(left[leftStart + index]) - Int(right[rightStart + index])
                if difference != 0 { return difference }
            }
            if leftLength != rightLength { return leftLength - rightLength }
        }
        return leftCount - rightCount
    }
}

/// Writes the offsets of a wire name's labels, and returns their number: at most 127.
private func labelOffsets(
    _ name: UnsafeRawBufferPointer, into offsets: UnsafeMutableBufferPointer<UInt8>, at first: Int
) -> Int {
    var (count, position) = (0, 0)
    while name[position] != 0 {
        offsets[first + count] = UInt8(position)
        count += 1
        position += 1 + Int(name[position])
    }
    return count
}
