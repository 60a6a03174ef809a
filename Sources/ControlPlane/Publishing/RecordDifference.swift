package import DNSWire
import Zones

/// An RRset of a zone before and after a change. Without records: it does not exist.
package struct RecordDifference: Sendable {
    package let owner: DomainName
    package let type: RecordType
    package let before: Content
    package let after: Content

    package struct Content: Hashable, Sendable {
        /// Seconds.
        package let ttl: UInt32
        package let records: [[UInt8]]
    }

    init(_ owner: DomainName, _ type: RecordType, from before: Content?, to after: Content?) {
        (self.owner, self.type) = (owner, type)
        let none = Content(ttl: 0, records: [])
        (self.before, self.after) = (before ?? none, after ?? none)
    }
}

extension RecordDifference.Content {
    init(_ set: ZoneRRset) { self.init(ttl: set.ttl, records: set.records) }
}

/// What distinguishes the records of a zone from those in use.
package struct ZoneDifference: Sendable {
    package let origin: DomainName
    package let serial: UInt32
    package let nextSerial: UInt32
    /// How many records come and go.
    package private(set) var added = 0
    package private(set) var removed = 0
    /// How many records there are fewer of, RRset by RRset. A record that another one replaces is not lost.
    package private(set) var lost = 0
    /// The first of the RRsets that differ.
    package private(set) var sets: [RecordDifference] = []

    private static let limit = 100

    /// It takes the time of all names of both zones, and no memory for those that are equal.
    init(_ origin: DomainName, from earlier: Zone, to next: Zone) {
        (self.origin, serial, nextSerial) = (origin, earlier.serial, next.serial)
        next.forEachOwner { sets in
            guard let owner = sets.first?.owner else { return true }
            let known = earlier.rrsets(of: owner)
            for set in sets { note(known.first { $0.type == set.type }, set) }
            for set in known where !sets.contains(where: { $0.type == set.type }) { note(set, nil) }
            return true
        }
        earlier.forEachOwner { sets in
            guard let owner = sets.first?.owner, next.rrsets(of: owner).isEmpty else { return true }
            for set in sets { note(set, nil) }
            return true
        }
    }

    private mutating func note(_ before: ZoneRRset?, _ after: ZoneRRset?) {
        guard before?.ttl != after?.ttl || Set(before?.records ?? []) != Set(after?.records ?? []),
            let set = after ?? before
        else { return }
        let (old, new) = (Set(before?.records ?? []), Set(after?.records ?? []))
        let isSameTTL = before?.ttl == after?.ttl
        added += isSameTTL ? new.subtracting(old).count : new.count
        removed += isSameTTL ? old.subtracting(new).count : old.count
        lost += max(0, old.count - new.count)
        guard sets.count < Self.limit else { return }
        sets.append(
            RecordDifference(
                set.owner, set.type, from: before.map { RecordDifference.Content($0) },
                to: after.map { RecordDifference.Content($0) }))
    }
}
