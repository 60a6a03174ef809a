public import DNSWire

/// Why a record or a tailored name cannot be part of a zone.
public struct ZoneError: Error, Hashable, Sendable, CustomStringConvertible {
    public var name: DomainName
    /// What is wrong and how to correct it.
    public var message: String

    public var description: String { "\(name): \(message)" }
}

/// Collects the records and tailored names of a zone, and builds the zone.
///
/// Names, records and RDATA lie in one array each, so a million records do not take a million allocations.
public struct ZoneBuilder: Sendable {
    struct Node: Sendable {
        var parent: UInt32
        var tailored: TailoredKinds = []
        var isTailored: Bool { !tailored.isEmpty }
    }

    struct Record: Sendable {
        var node: UInt32
        var ttl: UInt32
        /// The offset of the RDATA in `data`.
        var start: UInt32
        var length: UInt16
        var type: RecordType
    }

    public let apex: DomainName
    private let apexLabelCount: Int
    /// Every name comes after its parent; the apex is first.
    var names = NameTable()
    var nodes: [Node] = []
    var records: [Record] = []
    var data: [UInt8] = []

    /// Starts an empty zone.
    public init(apex: DomainName) {
        self.apex = apex
        apexLabelCount = apex.labelCount
        nodes = [Node(parent: 0)]
        names = NameTable([apex])
    }

    /// Adds a record. Duplicates count once (RFC 2181, section 5). If the TTLs of an RRset differ, the smallest is
    /// used.
    public mutating func add(_ record: ResourceRecord) throws(ZoneError) {
        guard record.recordClass == .in else {
            throw ZoneError(
                name: record.owner, message: "\(record.type) of class \(record.recordClass) cannot be served")
        }
        try add(owner: record.owner.wire.span, type: record.type, ttl: record.ttl, data: record.data.span)
    }

    /// Adds a record of class IN.
    ///
    /// - Parameters:
    ///   - owner: An uncompressed wire name.
    ///   - ttl: Seconds.
    ///   - data: RDATA without compression.
    public mutating func add(
        owner: Span<UInt8>, type: RecordType, ttl: UInt32, data: Span<UInt8>
    ) throws(ZoneError) {
        guard !type.isMeta else { throw ZoneError(name: Self.name(owner), message: "\(type) cannot be served") }
        guard data.withUnsafeBytes({ type.isWellFormed($0) }) else {
            throw ZoneError(name: Self.name(owner), message: "the RDATA of \(type) is malformed")
        }
        guard self.data.count < Int(UInt32.max) - 70_000 else {
            throw ZoneError(name: apex, message: "the zone has more than 4 GiB of data; delegate parts of it")
        }
        guard let node = enter(owner) else {
            throw ZoneError(name: Self.name(owner), message: "is not in the zone \(apex); remove the record")
        }
        records.append(
            Record(
                node: UInt32(node), ttl: ttl, start: UInt32(self.data.count), length: UInt16(data.count), type: type))
        data.withUnsafeBytes { self.data.append(contentsOf: $0) }
    }

    /// Makes a tailored name exist, with the names above it. Its tailored records are not part of the zone.
    public mutating func addTailoredName(
        _ name: DomainName, as kinds: TailoredKinds = .addresses
    ) throws(ZoneError) {
        guard let node = enter(name.wire.span) else {
            throw ZoneError(
                name: name, message: "is not in the zone \(apex); serve its zone or remove the tailored name")
        }
        nodes[node].tailored.formUnion(kinds)
    }

    private static func name(_ wire: Span<UInt8>) -> DomainName {
        DomainName(wire: wire.withUnsafeBytes { Array($0) }) ?? .root
    }

    /// The node of `owner`. Adds it if missing, with the empty non-terminals between it and the apex (RFC 4592, section
    /// 2.2.2). `nil` for a name outside the zone.
    private mutating func enter(_ owner: Span<UInt8>) -> Int? {
        owner.withUnsafeBytes { wire in
            guard DomainName.wireLength(in: wire, at: 0) == wire.count else { return nil }
            return LookupName.withScratch { scratch in
                scratch.load(wire)
                return enter(scratch)
            }
        }
    }

    private mutating func enter(_ name: LookupName) -> Int? {
        let apexLabel = name.labelCount - apexLabelCount
        guard apexLabel >= 0 else { return nil }
        var label = 0
        var found = names.find(name, from: label)
        while found == nil, label < apexLabel {
            label += 1
            found = names.find(name, from: label)
        }
        // Outside the zone, not even the apex is found.
        guard var node = found else { return nil }
        while label > 0 {
            label -= 1
            names.insert(name, from: label)
            nodes.append(Node(parent: UInt32(node)))
            node = nodes.count - 1
        }
        return node
    }

    /// The name of a node, in lower case.
    func name(_ node: Int) -> DomainName { names.withName(at: node) { DomainName(wire: $0) } ?? .root }
}
