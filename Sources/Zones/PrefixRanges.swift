package import IPNetworks

/// Values for networks; the most specific network decides. They are compiled into ranges, so a lookup is one binary
/// search.
package struct PrefixRanges<Value: Hashable & Sendable>: Hashable, Sendable {
    private struct Ranges<Bits: FixedWidthInteger & UnsignedInteger & Sendable>: Hashable, Sendable {
        /// Sorted. Each range ends where the next one begins.
        var starts: [Bits] = []
        var values: [Value] = []

        func value(_ bits: Bits, otherwise: Value) -> Value {
            var (low, high) = (0, starts.count)
            while low < high {
                let middle = (low + high) / 2
                if starts[middle] <= bits { low = middle + 1 } else { high = middle }
            }
            return low == 0 ? otherwise : values[low - 1]
        }
    }

    private var v4 = Ranges<UInt32>()
    private var v6 = Ranges<UInt128>()
    private let otherwise: Value

    /// - Parameters:
    ///   - networks: if a network occurs twice, the last value counts.
    ///   - otherwise: the value of addresses in no network.
    package init(_ networks: [(prefix: IPPrefix, value: Value)], otherwise: Value) {
        self.otherwise = otherwise
        for (start, value) in Self.ranges(networks.filter { $0.prefix.family == .v4 }, otherwise) {
            guard case .v4(let bits) = start else { continue }
            v4.starts.append(bits)
            v4.values.append(value)
        }
        for (start, value) in Self.ranges(networks.filter { $0.prefix.family == .v6 }, otherwise) {
            guard case .v6(let bits) = start else { continue }
            v6.starts.append(bits)
            v6.values.append(value)
        }
    }

    package subscript(address: IPAddress) -> Value {
        switch address {
        case .v4(let bits): v4.value(bits, otherwise: otherwise)
        case .v6(let bits): v6.value(bits, otherwise: otherwise)
        }
    }

    /// The addresses at which the value changes, in order. Networks are nested or disjoint, so a stack holds the open
    /// ones.
    private static func ranges(
        _ networks: [(prefix: IPPrefix, value: Value)], _ otherwise: Value
    ) -> [(IPAddress, Value)] {
        let sorted = networks.enumerated().sorted { left, right in
            let (first, second) = (left.element.prefix, right.element.prefix)
            return (first.address, first.length, left.offset) < (second.address, second.length, right.offset)
        }
        var ranges: [(IPAddress, Value)] = []
        var open: [(prefix: IPPrefix, value: Value)] = []
        func begin(_ address: IPAddress, _ value: Value) {
            if ranges.last?.0 == address { ranges.removeLast() }
            if ranges.last?.1 != value { ranges.append((address, value)) }
        }
        func close() {
            let closed = open.removeLast()
            guard let next = closed.prefix.lastAddress.next else { return }
            begin(next, open.last?.value ?? otherwise)
        }
        for (_, network) in sorted {
            while let last = open.last, !last.prefix.contains(network.prefix) { close() }
            begin(network.prefix.address, network.value)
            open.append(network)
        }
        while !open.isEmpty { close() }
        return ranges
    }
}

extension IPAddress {
    /// The address after this one; `nil` after the last of its family.
    fileprivate var next: IPAddress? {
        switch self {
        case .v4(let value): value == .max ? nil : .v4(value + 1)
        case .v6(let value): value == .max ? nil : .v6(value + 1)
        }
    }
}
