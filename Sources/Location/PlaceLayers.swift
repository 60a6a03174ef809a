public import IPNetworks

/// Statements about blocks of addresses in layers above a database: autonomous systems, geofeeds, geo overrides.
///
/// Inside a layer, a longer prefix overrides a shorter one.
public struct PlaceLayers: Sendable {
    /// By number; 0 is the empty statement.
    private var statements = StatementNumbers()
    private var v4 = PlaceRanges<UInt32>()
    private var v6 = PlaceRanges<UInt128>()

    public init() {}

    public var isEmpty: Bool { statements.all.count == 1 }

    /// Adds a layer on top.
    ///
    /// - Parameter blocks: in any order; of equal prefixes, the later one wins.
    public mutating func add(_ blocks: [(prefix: IPPrefix, statement: PlaceStatement)]) {
        var blocksV4: [(first: UInt32, last: UInt32, value: UInt32)] = []
        var blocksV6: [(first: UInt128, last: UInt128, value: UInt32)] = []
        for (prefix, statement) in blocks {
            let number = statements.number(of: statement)
            switch (prefix.address, prefix.lastAddress) {
            case (.v4(let first), .v4(let last)): blocksV4.append((first, last, number))
            case (.v6(let first), .v6(let last)): blocksV6.append((first, last, number))
            default: preconditionFailure("both ends of a network are of its family")
            }
        }
        let layerV4 = PlaceRanges(blocks: blocksV4) { statements.over($0, $1) }
        let layerV6 = PlaceRanges(blocks: blocksV6) { statements.over($0, $1) }
        add(layerV4, layerV6)
    }

    /// Adds a layer of ranges on top.
    ///
    /// - Parameter statements: by the ranges' values. Values that are absent here state nothing.
    public mutating func add(
        v4: PlaceRanges<UInt32>, v6: PlaceRanges<UInt128>, statements said: [UInt32: PlaceStatement]
    ) {
        // Sorted, so that numbers do not depend on hashing.
        let numbers = Dictionary(
            uniqueKeysWithValues: said.sorted { $0.key < $1.key }.map { ($0.key, statements.number(of: $0.value)) })
        let none = PlaceRanges<UInt32>()
        add(
            none.combined(with: v4) { numbers[$1] ?? 0 },
            PlaceRanges<UInt128>().combined(with: v6) { numbers[$1] ?? 0 })
    }

    private mutating func add(_ layerV4: PlaceRanges<UInt32>, _ layerV6: PlaceRanges<UInt128>) {
        v4 = v4.combined(with: layerV4) { statements.over($0, $1) }
        v6 = v6.combined(with: layerV6) { statements.over($0, $1) }
    }

    /// The place of every address according to these statements and, where they state nothing, to `base`.
    ///
    /// Places that differ in content are numbered by size, as in a database; among equal sizes, those of `base` come
    /// first.
    public func applied(to base: PlaceMap) -> PlaceMap {
        guard !isEmpty else { return base }
        var derived = DerivedPlaces(base.places, statements.all)
        let v4 = base.v4.combined(with: self.v4) { derived.number($0, $1) }
        let v6 = base.v6.combined(with: self.v6) { derived.number($0, $1) }
        let (added, merged) = derived.distinct()
        let count = base.places.count + added.count
        let mergedV4 = v4.renumbered(merged)
        let order = orderBySize(mergedV4.sizes(count: count))
        let numbers = ranks(of: order)
        return PlaceMap(
            places: base.places.extended(by: added, order: order), v4: mergedV4.renumbered(numbers),
            v6: v6.renumbered(merged.map { numbers[Int($0)] }))
    }
}

/// Distinct statements by number.
private struct StatementNumbers {
    private(set) var all: [PlaceStatement] = [.none]
    private var numbers: [PlaceStatement: UInt32] = [.none: 0]
    /// Combinations already made: the lower statement in the upper half, the upper one in the lower half.
    private var pairs: [UInt64: UInt32] = [:]

    mutating func number(of statement: PlaceStatement) -> UInt32 {
        if let number = numbers[statement] { return number }
        let number = UInt32(all.count)
        all.append(statement)
        numbers[statement] = number
        return number
    }

    mutating func over(_ lower: UInt32, _ upper: UInt32) -> UInt32 {
        if lower == 0 || lower == upper { return upper }
        if upper == 0 { return lower }
        let pair = UInt64(lower) << 32 | UInt64(upper)
        if let known = pairs[pair] { return known }
        let number = number(of: all[Int(upper)].over(all[Int(lower)]))
        pairs[pair] = number
        return number
    }
}

/// Places derived from others by a statement, numbered after them in order of appearance.
private struct DerivedPlaces {
    private let base: PlaceTable
    private let statements: [PlaceStatement]
    private var numbers: [UInt64: UInt32] = [:]
    private var pairs: [(place: UInt32, statement: UInt32)] = []

    init(_ base: PlaceTable, _ statements: [PlaceStatement]) {
        self.base = base
        self.statements = statements
    }

    mutating func number(_ place: UInt32, _ statement: UInt32) -> UInt32 {
        if statement == 0 { return place }
        let pair = UInt64(statement) << 32 | UInt64(place)
        if let known = numbers[pair] { return known }
        let number = UInt32(base.count + pairs.count)
        numbers[pair] = number
        pairs.append((place, statement))
        return number
    }

    /// The places that the table does not have yet, in order of content; and for every number given so far, the number
    /// of the place with its content.
    func distinct() -> (places: [Place], numbers: [UInt32]) {
        let derived = pairs.map { statements[Int($0.statement)].applied(to: base[Int($0.place)]) }
        var known = base.numbers(of: Set(derived))
        var added: [Place] = []
        for place in Set(derived).sorted() where known[place] == nil {
            known[place] = UInt32(base.count + added.count)
            added.append(place)
        }
        return (added, (0..<UInt32(base.count)).map { $0 } + derived.map { known[$0] ?? 0 })
    }
}
