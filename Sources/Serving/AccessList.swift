public import IPNetworks

/// Who may ask: networks allowed and denied, of which the most specific one that holds the sender decides.
///
/// Compiled into ranges, so that a decision is one binary search.
public struct AccessList: Hashable, Sendable {
    private struct Ranges<Value: FixedWidthInteger & UnsignedInteger & Sendable>: Hashable, Sendable {
        /// Sorted; each begins a range that ends before the next.
        var starts: [Value] = []
        var admits: [Bool] = []

        func admits(_ value: Value, otherwise: Bool) -> Bool {
            var (low, high) = (0, starts.count)
            while low < high {
                let middle = (low + high) / 2
                if starts[middle] <= value { low = middle + 1 } else { high = middle }
            }
            return low == 0 ? otherwise : admits[low - 1]
        }
    }

    private var v4 = Ranges<UInt32>()
    private var v6 = Ranges<UInt128>()
    /// Who is in no network may ask unless somebody is allowed by name.
    private let admitsOthers: Bool

    /// - Parameters:
    ///   - allow: networks that may ask; when there are any, all others of both families may not.
    ///   - deny: networks that may not; a network in both lists may not.
    public init(allow: [IPPrefix], deny: [IPPrefix]) {
        admitsOthers = allow.isEmpty
        let rules = allow.map { ($0, true) } + deny.map { ($0, false) }
        for (start, admits) in Self.ranges(rules.filter { $0.0.family == .v4 }, otherwise: admitsOthers) {
            guard case .v4(let value) = start else { continue }
            v4.starts.append(value)
            v4.admits.append(admits)
        }
        for (start, admits) in Self.ranges(rules.filter { $0.0.family == .v6 }, otherwise: admitsOthers) {
            guard case .v6(let value) = start else { continue }
            v6.starts.append(value)
            v6.admits.append(admits)
        }
    }

    public func admits(_ address: IPAddress) -> Bool {
        switch address {
        case .v4(let value): v4.admits(value, otherwise: admitsOthers)
        case .v6(let value): v6.admits(value, otherwise: admitsOthers)
        }
    }

    /// Where the decision changes, in order. Networks nest or are apart, so that a stack holds those that are open.
    private static func ranges(_ rules: [(IPPrefix, Bool)], otherwise: Bool) -> [(IPAddress, Bool)] {
        // Of a network in both lists the denial comes last, and decides.
        let sorted = rules.sorted { left, right in
            left.0.address != right.0.address
                ? left.0.address < right.0.address
                : left.0.length != right.0.length ? left.0.length < right.0.length : left.1 && !right.1
        }
        var ranges: [(IPAddress, Bool)] = []
        var open: [(IPPrefix, Bool)] = []
        func begin(_ address: IPAddress, _ admits: Bool) {
            if ranges.last?.0 == address { ranges.removeLast() }
            if ranges.last?.1 != admits { ranges.append((address, admits)) }
        }
        func close() {
            let closed = open.removeLast()
            guard let next = closed.0.lastAddress.next else { return }
            begin(next, open.last?.1 ?? otherwise)
        }
        for rule in sorted {
            while let last = open.last, !last.0.contains(rule.0) { close() }
            begin(rule.0.address, rule.1)
            open.append(rule)
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
