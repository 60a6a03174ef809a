public import IPNetworks

/// Writes small geographic databases (MaxMind DB file format specification 2.0), sound ones and such as no maker
/// would publish.
public struct MMDBWriter {
    /// A value of the data section.
    public indirect enum Value {
        case string(String)
        case double(Double)
        case float(Float)
        case uint16(UInt16)
        case uint32(UInt32)
        case uint64(UInt64)
        case map([(key: String, value: Value)])
        case array([Value])
    }

    /// What a record of the search tree says.
    public enum Record {
        case empty
        case node(Int)
        /// Data, by its offset in the data section.
        case data(Int)
        /// The number as it stands in the file.
        case raw(Int)
    }

    public let family: IPFamily
    /// Bits of a record: 24, 28 or 32.
    public var recordSize = 28
    public var buildEpoch: UInt64 = 1_700_000_000
    public var type = "Sample-City"
    /// Left and right record of each node; the first is the root.
    public var nodes: [(left: Record, right: Record)] = [(.empty, .empty)]
    private var data: [UInt8] = []

    public init(_ family: IPFamily = .v6) { self.family = family }

    /// Gives a network its data. IPv4 networks of an IPv6 tree stand below ::/96.
    public mutating func insert(_ prefix: IPPrefix, _ value: Value) {
        let offset = data.count
        data += Self.encode(value)
        set(prefix, .data(offset))
    }

    /// Makes a network refer to the tree of ::/96, as ::ffff:0:0/96 does in published databases.
    public mutating func alias(_ prefix: IPPrefix) {
        guard let root = node(above: 96, of: [UInt8](repeating: 0, count: 12)) else { return }
        set(prefix, .node(root))
    }

    private mutating func set(_ prefix: IPPrefix, _ record: Record) {
        let embedded = family == .v6 && prefix.address.family == .v4
        let bytes = (embedded ? [UInt8](repeating: 0, count: 12) : []) + prefix.address.bytes
        let length = prefix.length + (embedded ? 96 : 0)
        guard length > 0, let node = node(above: length - 1, of: bytes) else { return }
        set(node, Self.bit(length - 1, of: bytes), record)
    }

    private mutating func set(_ node: Int, _ isRight: Bool, _ record: Record) {
        if isRight { nodes[node].right = record } else { nodes[node].left = record }
    }

    /// The node that `depth` bits lead to, made where it is missing.
    private mutating func node(above depth: Int, of bytes: [UInt8]) -> Int? {
        var current = 0
        for index in 0..<depth {
            let isRight = Self.bit(index, of: bytes)
            if case .node(let next) = isRight ? nodes[current].right : nodes[current].left {
                current = next
            } else {
                nodes.append((.empty, .empty))
                set(current, isRight, .node(nodes.count - 1))
                current = nodes.count - 1
            }
        }
        return current
    }

    private static func bit(_ index: Int, of bytes: [UInt8]) -> Bool { bytes[index / 8] >> (7 - index % 8) & 1 == 1 }
}

extension MMDBWriter {
    /// Bytes of the search tree, with which the file begins.
    public var treeBytes: Int { nodes.count * recordSize / 4 }

    /// The whole file.
    public var bytes: [UInt8] {
        tree + [UInt8](repeating: 0, count: 16) + data + [0xab, 0xcd, 0xef] + Array("MaxMind.com".utf8) + metadata
    }

    private var metadata: [UInt8] {
        Self.encode(
            .map([
                ("binary_format_major_version", .uint16(2)), ("binary_format_minor_version", .uint16(0)),
                ("build_epoch", .uint64(buildEpoch)), ("database_type", .string(type)),
                ("description", .map([("en", .string("for tests"))])),
                ("ip_version", .uint16(family == .v4 ? 4 : 6)), ("languages", .array([.string("en")])),
                ("node_count", .uint32(UInt32(nodes.count))), ("record_size", .uint16(UInt16(recordSize))),
            ]))
    }

    private var tree: [UInt8] {
        nodes.flatMap { node -> [UInt8] in
            let (left, right) = (number(node.left), number(node.right))
            switch recordSize {
            case 24: return Self.bigEndian(left, 3) + Self.bigEndian(right, 3)
            case 28:
                let middle = UInt8(left >> 24 & 15) << 4 | UInt8(right >> 24 & 15)
                return Self.bigEndian(left, 3) + [middle] + Self.bigEndian(right, 3)
            default: return Self.bigEndian(left, 4) + Self.bigEndian(right, 4)
            }
        }
    }

    private func number(_ record: Record) -> Int {
        switch record {
        case .empty: nodes.count
        case .node(let index): index
        case .data(let offset): nodes.count + 16 + offset
        case .raw(let number): number
        }
    }

    private static func bigEndian(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(value >> (8 * (count - 1 - $0)) & 255) }
    }

    private static func encode(_ value: Value) -> [UInt8] {
        switch value {
        case .string(let text): head(2, text.utf8.count) + Array(text.utf8)
        case .double(let number): head(3, 8) + withUnsafeBytes(of: number.bitPattern.bigEndian) { Array($0) }
        case .uint16(let number): head(5, 2) + bigEndian(Int(number), 2)
        case .uint32(let number): head(6, 4) + bigEndian(Int(number), 4)
        case .map(let pairs): head(7, pairs.count) + pairs.flatMap { encode(.string($0.key)) + encode($0.value) }
        case .uint64(let number): head(9, 8) + bigEndian(Int(number), 8)
        case .array(let values): head(11, values.count) + values.flatMap(encode)
        case .float(let number): head(15, 4) + withUnsafeBytes(of: number.bitPattern.bigEndian) { Array($0) }
        }
    }

    /// The control byte, with the bytes that extend its type and its size.
    private static func head(_ type: UInt8, _ size: Int) -> [UInt8] {
        let (short, more): (UInt8, [UInt8]) =
            size < 29 ? (UInt8(size), []) : size < 285 ? (29, [UInt8(size - 29)]) : (30, bigEndian(size - 285, 2))
        return (type > 7 ? [short, type - 7] : [type << 5 | short]) + more
    }
}

extension MMDBWriter.Value {
    /// A record of a City database.
    public static func place(
        _ city: String?, _ latitude: Double, _ longitude: Double, country: String? = nil, region: String? = nil,
        continent: String? = nil
    ) -> Self {
        func named(_ name: String) -> Self { .map([("names", .map([("en", .string(name))]))]) }
        var fields: [(key: String, value: Self)] = []
        if let city { fields.append(("city", named(city))) }
        if let continent { fields.append(("continent", .map([("code", .string(continent))]))) }
        if let country { fields.append(("country", .map([("iso_code", .string(country))]))) }
        fields.append(("location", .map([("latitude", .double(latitude)), ("longitude", .double(longitude))])))
        if let region { fields.append(("subdivisions", .array([named(region)]))) }
        return .map(fields)
    }
}

extension MMDBWriter {
    /// A few places on four continents, in both families; enough to steer by.
    public static func sample() -> MMDBWriter {
        var writer = MMDBWriter()
        let places: [(String, Value)] = [
            ("16.0.0.0/8", .place("Berlin", 52.52, 13.405, country: "DE", region: "Berlin", continent: "EU")),
            ("17.1.0.0/16", .place("New York", 40.7128, -74.006, country: "US", region: "New York", continent: "NA")),
            ("18.2.3.0/24", .place("Singapore", 1.3521, 103.8198, country: "SG", continent: "AS")),
            ("2400:1000::/24", .place("Tokyo", 35.6895, 139.6917, country: "JP", continent: "AS")),
            ("2400:2000::/32", .place("Paris", 48.8566, 2.3522, country: "FR", continent: "EU")),
        ]
        for (prefix, place) in places {
            if let prefix = IPPrefix(prefix) { writer.insert(prefix, place) }
        }
        if let mapped = IPPrefix("::ffff:0:0/96") { writer.alias(mapped) }
        if let sixToFour = IPPrefix("2002::/16") { writer.alias(sixToFour) }
        return writer
    }
}
