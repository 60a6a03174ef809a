import DNSWire
public import Zones

/// The record changes of one zone: RRsets that replace those of the zone's file.
public struct ZoneChanges: Hashable, Sendable {
    /// The current content of a changed RRset.
    public struct RRset: Hashable, Sendable {
        /// Seconds.
        public var ttl: UInt32
        /// RDATA without compression. Empty: the RRset was removed.
        public var records: [[UInt8]]
        /// Microseconds since 1970, UTC.
        public var time: Int64
        public var author: String?
        /// Whether these are addresses of an alias's target, not what a caller set.
        public var isOfAlias: Bool
        /// When the last answer that had these addresses ends, in microseconds since 1970. `nil`: not known.
        public var answerEnds: Int64?

        public init(
            ttl: UInt32, records: [[UInt8]], time: Int64, author: String? = nil, isOfAlias: Bool = false,
            answerEnds: Int64? = nil
        ) {
            (self.ttl, self.records, self.time, self.author) = (ttl, records, time, author)
            (self.isOfAlias, self.answerEnds) = (isOfAlias, answerEnds)
        }
    }

    public private(set) var sets: [RRsetKey: RRset] = [:]
    /// The current serial of the zone's SOA. `nil`: that of the file.
    public var serial: UInt32?
    /// Sum of the hashes of `sets`, independent of their order.
    private var sum: UInt64 = 0

    public init() {}

    public var isEmpty: Bool { sets.isEmpty && serial == nil }

    public subscript(key: RRsetKey) -> RRset? {
        get { sets[key] }
        set {
            if let old = sets[key] { sum &-= Self.hash(key, old) }
            if let newValue { sum &+= Self.hash(key, newValue) }
            sets[key] = newValue
        }
    }

    /// Equal for equal changes. 0 for none.
    var digest: UInt64 { Self.digest(sum, serial, isEmpty: isEmpty) }

    /// The number and digest after replacing some RRsets and the serial.
    ///
    /// - Parameter forgotten: those of `later` that take a change away instead.
    func summary(
        with later: [RRsetKey: RRset], forgetting forgotten: Set<RRsetKey>, serial: UInt32
    ) -> (count: Int, digest: UInt64) {
        var (sum, count) = (sum, sets.count)
        for (key, set) in later {
            if forgotten.contains(key) {
                guard let old = sets[key] else { continue }
                sum &-= Self.hash(key, old)
                count -= 1
                continue
            }
            if let old = sets[key] { sum &-= Self.hash(key, old) } else { count += 1 }
            sum &+= Self.hash(key, set)
        }
        return (count, Self.digest(sum, serial, isEmpty: false))
    }

    private static func digest(_ sum: UInt64, _ serial: UInt32?, isEmpty: Bool) -> UInt64 {
        guard !isEmpty else { return 0 }
        var digest = ModelDigest()
        digest.add(sum)
        digest.add(serial.map { UInt64($0) + 1 } ?? 0)
        return digest.value
    }

    private static func hash(_ key: RRsetKey, _ set: RRset) -> UInt64 {
        var digest = ModelDigest()
        digest.add(key.owner)
        digest.add(key.type.rawValue)
        digest.add(set.ttl)
        for record in set.records { digest.add(record) }
        return digest.value
    }
}

extension RRsetChange {
    public init?(_ key: RRsetKey, _ set: ZoneChanges.RRset) {
        guard let owner = DomainName(wire: key.owner) else { return nil }
        self.init(owner: owner, type: key.type, ttl: set.ttl, records: set.records)
    }
}
