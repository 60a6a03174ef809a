public import ControlFailures
public import FoundationEssentials

/// An RRset, as the control interface reads and tells it.
public struct RRsetReport: Codable, Equatable, Sendable {
    /// The owner, in full.
    public var name: String
    /// As in `AAAA`, or `TYPE` and a number.
    public var type: String
    /// Seconds; absent where there are no records.
    public var ttl: UInt32?
    /// RDATA as zone files have it, one text a record; empty: there is no such RRset any more.
    public var records: [String]
    /// When it was changed by itself, and by whom; absent where it is as the zone's file has it.
    public var changedAt: Date?
    public var changedBy: String?

    public init(
        name: String, type: String, ttl: UInt32? = nil, records: [String], changedAt: Date? = nil,
        changedBy: String? = nil
    ) {
        (self.name, self.type, self.ttl, self.records) = (name, type, ttl, records)
        (self.changedAt, self.changedBy) = (changedAt, changedBy)
    }
}

/// RRsets of a zone: `nearcast record list`.
public struct RRsetsReport: Codable, Equatable, Sendable {
    public var zone: String
    /// Of the SOA.
    public var serial: UInt32
    /// RRsets that were changed by themselves since the file.
    public var changed: Int
    /// RRsets that were asked for; `rrsets` has the first of them.
    public var total: Int
    public var rrsets: [RRsetReport]

    public init(zone: String, serial: UInt32, changed: Int, total: Int, rrsets: [RRsetReport]) {
        (self.zone, self.serial, self.changed, self.total, self.rrsets) = (zone, serial, changed, total, rrsets)
    }
}

/// Which RRsets of a zone are asked for.
public struct RRsetsRequest: Equatable, Sendable {
    public var zone: String
    /// Only those of this name; absent: all.
    public var name: String?
    /// Only those that were changed by themselves, also those that are gone.
    public var changed: Bool
    public var limit: Int

    public init(zone: String, name: String? = nil, changed: Bool = false, limit: Int = 1_000) {
        (self.zone, self.name, self.changed, self.limit) = (zone, name, changed, limit)
    }
}

/// What an RRset is to be.
public struct RRsetWish: Codable, Equatable, Sendable {
    /// The owner in full, with or without the final dot.
    public var name: String
    /// Of a wish without records also `ANY`: all that the name has.
    public var type: String
    /// Seconds; needed where there are records.
    public var ttl: UInt32?
    /// RDATA as zone files have it, one text a record, names in full with the final dot. None: the RRset is deleted.
    public var records: [String]?

    public init(name: String, type: String, ttl: UInt32? = nil, records: [String]? = nil) {
        (self.name, self.type, self.ttl, self.records) = (name, type, ttl, records)
    }
}

extension RRsetWish {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case name, type, ttl, records
    }

    /// Refuses what is hardly meant: it could delete an RRset that was to be changed.
    public init(from decoder: any Decoder) throws {
        try decoder.requireKnown(CodingKeys.self)
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try fields.decode(String.self, forKey: .name), type: try fields.decode(String.self, forKey: .type),
            ttl: try fields.whole(UInt32.self, .ttl),
            records: try fields.decodeIfPresent([String].self, forKey: .records))
        guard ttl == nil || records != nil else {
            throw DecodingError.dataCorruptedError(
                forKey: .ttl, in: fields,
                debugDescription: "a TTL without records; give \"records\", or leave both out to delete the RRset")
        }
    }

    /// Reads a list of them in JSON.
    ///
    /// - Parameter file: where they are from, for messages.
    public static func list(of bytes: [UInt8], in file: String) throws(ControlFailure) -> [RRsetWish] {
        do { return try ControlJSON.decode([RRsetWish].self, from: bytes) } catch {
            let what = (error as? DecodingError)?.summary ?? "the file cannot be read"
            throw ControlFailure(
                .invalid, "\(file): \(what)",
                remedy: "give a list, as [{\"name\": \"www.example.com\", \"type\": \"A\", \"ttl\": 300, "
                    + "\"records\": [\"192.0.2.1\"]}]")
        }
    }
}

/// Changes that are made together or not at all.
public struct RRsetsChange: Codable, Equatable, Sendable {
    public var changes: [RRsetWish]
    /// Who wishes it; kept with the change.
    public var author: String?

    public init(changes: [RRsetWish], author: String? = nil) { (self.changes, self.author) = (changes, author) }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case changes, author
    }

    public init(from decoder: any Decoder) throws {
        try decoder.requireKnown(CodingKeys.self)
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            changes: try fields.decode([RRsetWish].self, forKey: .changes),
            author: try fields.decodeIfPresent(String.self, forKey: .author))
    }
}

/// What came of changes: when this is told they are kept, and packets are answered by them.
public struct RRsetsReceipt: Codable, Equatable, Sendable {
    public var zone: String
    /// Of the SOA.
    public var serial: UInt32
    /// RRsets that are others now.
    public var changed: Int
    /// Of the model that serves.
    public var epoch: UInt64
    /// How it came to the fast path.
    public var fastPath: ReloadReport.FastPath
    /// From the request to the first packet that sees it.
    public var tookMilliseconds: Double

    public init(
        zone: String, serial: UInt32, changed: Int, epoch: UInt64, fastPath: ReloadReport.FastPath,
        tookMilliseconds: Double
    ) {
        (self.zone, self.serial, self.changed, self.epoch) = (zone, serial, changed, epoch)
        (self.fastPath, self.tookMilliseconds) = (fastPath, tookMilliseconds)
    }
}
