public import ControlFailures
public import FoundationEssentials

/// An RRset.
public struct RRsetReport: Codable, Equatable, Sendable {
    /// The owner, in full.
    public var name: String
    /// As in `AAAA`, or `TYPE` and a number.
    public var type: String
    /// Seconds; absent where there are no records.
    public var ttl: UInt32?
    /// RDATA in zone-file syntax, one text a record; empty: the RRset was deleted.
    public var records: [String]
    /// When it was changed by a record change, and its author; absent if it is as in the zone's file.
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
    /// RRsets that were changed by record changes since the file was read.
    public var changed: Int
    /// Matching RRsets; `rrsets` has the first of them.
    public var total: Int
    public var rrsets: [RRsetReport]

    public init(zone: String, serial: UInt32, changed: Int, total: Int, rrsets: [RRsetReport]) {
        (self.zone, self.serial, self.changed, self.total, self.rrsets) = (zone, serial, changed, total, rrsets)
    }
}

/// Which RRsets of a zone to list.
public struct RRsetsRequest: Equatable, Sendable {
    public var zone: String
    /// Only those of this name; absent: all.
    public var name: String?
    /// Only RRsets with record changes, also deleted ones.
    public var changed: Bool
    public var limit: Int

    public init(zone: String, name: String? = nil, changed: Bool = false, limit: Int = 1_000) {
        (self.zone, self.name, self.changed, self.limit) = (zone, name, changed, limit)
    }
}

/// The new content of an RRset.
public struct RRsetEdit: Codable, Equatable, Sendable {
    /// The owner in full, with or without the final dot.
    public var name: String
    /// Without records also `ANY`: every RRset of the name.
    public var type: String
    /// Seconds; required with records.
    public var ttl: UInt32?
    /// RDATA in zone-file syntax, one text a record, with full names and their final dot. None: the RRset is deleted.
    public var records: [String]?

    public init(name: String, type: String, ttl: UInt32? = nil, records: [String]? = nil) {
        (self.name, self.type, self.ttl, self.records) = (name, type, ttl, records)
    }
}

extension RRsetEdit {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case name, type, ttl, records
    }

    /// Refuses likely mistakes, which could delete an RRset instead of changing it.
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
    /// - Parameter file: their file, for messages.
    public static func list(of bytes: [UInt8], in file: String) throws(ControlFailure) -> [RRsetEdit] {
        do { return try ControlJSON.decode([RRsetEdit].self, from: bytes) } catch {
            let what = (error as? DecodingError)?.summary ?? "the file cannot be read"
            throw ControlFailure(
                .invalid, "\(file): \(what)",
                remedy: "give a list, as [{\"name\": \"www.example.com\", \"type\": \"A\", \"ttl\": 300, "
                    + "\"records\": [\"192.0.2.1\"]}]")
        }
    }
}

/// Changes that are applied together or not at all.
public struct RRsetsChange: Codable, Equatable, Sendable {
    public var changes: [RRsetEdit]
    /// What the caller says about itself; recorded behind its identity, and proves nothing.
    public var author: String?

    public init(changes: [RRsetEdit], author: String? = nil) { (self.changes, self.author) = (changes, author) }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case changes, author
    }

    public init(from decoder: any Decoder) throws {
        try decoder.requireKnown(CodingKeys.self)
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            changes: try fields.decode([RRsetEdit].self, forKey: .changes),
            author: try fields.decodeIfPresent(String.self, forKey: .author))
    }
}

/// The result of changes: they are stored, and packets are answered by them.
public struct RRsetsReceipt: Codable, Equatable, Sendable {
    public var zone: String
    /// Of the SOA.
    public var serial: UInt32
    /// RRsets that differ now.
    public var changed: Int
    /// The number of the change, for `nearcast record undo`; absent where nothing entered the history.
    public var change: UInt64?
    /// Of the model in use.
    public var epoch: UInt64
    /// How the fast path took it over.
    public var fastPath: ReloadReport.FastPath
    /// From the request to the first packet that is answered by it.
    public var tookMilliseconds: Double
    /// What is served now, but is probably a mistake at the changed names; absent: nothing.
    public var warnings: [String]?

    public init(
        zone: String, serial: UInt32, changed: Int, change: UInt64? = nil, epoch: UInt64,
        fastPath: ReloadReport.FastPath, tookMilliseconds: Double, warnings: [String]? = nil
    ) {
        (self.change, self.warnings) = (change, warnings)
        (self.zone, self.serial, self.changed, self.epoch) = (zone, serial, changed, epoch)
        (self.fastPath, self.tookMilliseconds) = (fastPath, tookMilliseconds)
    }
}
