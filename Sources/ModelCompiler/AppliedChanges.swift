import DNSWire
public import Zones

/// A zone from its file, with its record changes applied.
struct AppliedChanges {
    private(set) var zone: Zone
    /// The changes to keep. Changes that the file already contains are dropped.
    private(set) var remaining: ZoneChanges
    /// RRsets among them that the file does not have.
    private(set) var additions: Set<RRsetKey> = []
    /// Changes that conflict with the file.
    private(set) var impossible: [(key: RRsetKey, error: ZoneError)] = []

    init(_ changes: ZoneChanges, over zone: Zone) {
        (self.zone, remaining) = (zone, changes)
        guard !changes.isEmpty else { return }
        var batches: ZoneBatches
        do throws(ZoneError) { batches = try ZoneBatches(zone) } catch {
            impossible = changes.sets.keys.map { ($0, error) }
            return
        }
        var wanted = Self.wanted(changes)
        let serial = zone.serial
        for (key, change) in wanted where batches.has(change.withSerial(serial)) { remaining[key] = nil }
        wanted.removeAll { remaining[$0.key] == nil }
        for (key, change) in wanted
        where !change.records.isEmpty && !batches.rrsets(of: change.owner).contains(where: { $0.type == change.type }) {
            additions.insert(key)
        }
        while !wanted.isEmpty {
            do throws(ZoneBatchError) {
                try batches.apply(wanted.map(\.change), raisesSerial: false)
                break
            } catch {
                impossible += error.problems.map { (wanted[$0.change].key, $0.error) }
                let refused = Set(error.problems.map(\.change))
                wanted = wanted.enumerated().filter { !refused.contains($0.offset) }.map(\.element)
            }
        }
        settleSerial(serial, &batches)
        self.zone = batches.finish().zone
    }

    /// The later of the file's serial and the one served last.
    private mutating func settleSerial(_ file: UInt32, _ batches: inout ZoneBatches) {
        let isAhead = remaining.serial.map { SerialNumber.isLater($0, than: file) } ?? false
        batches.setSerial(isAhead ? remaining.serial ?? file : file)
        if !isAhead { remaining.serial = remaining.sets.isEmpty ? nil : file }
    }

    /// In a deterministic order.
    private static func wanted(_ changes: ZoneChanges) -> [(key: RRsetKey, change: RRsetChange)] {
        changes.sets.sorted {
            $0.key.owner == $1.key.owner
                ? $0.key.type < $1.key.type : $0.key.owner.lexicographicallyPrecedes($1.key.owner)
        }.compactMap { key, set in RRsetChange(key, set).map { (key, $0) } }
    }
}

extension RRsetChange {
    /// The same, with another serial if it is an SOA.
    public func withSerial(_ serial: UInt32) -> RRsetChange {
        guard type == .soa, var record = records.first, record.count >= 20 else { return self }
        let place = record.count - 20
        for byte in 0..<4 { record[place + byte] = UInt8(truncatingIfNeeded: serial >> UInt32(24 - 8 * byte)) }
        var change = self
        change.records = [record]
        return change
    }
}

extension Zone {
    /// How many more records this zone has than `file`, in RRsets with changes.
    func recordCount(of changes: ZoneChanges, over file: Zone) -> Int {
        changes.sets.keys.reduce(0) { sum, key in
            guard let owner = DomainName(wire: key.owner) else { return sum }
            return sum + count(owner, key.type) - file.count(owner, key.type)
        }
    }

    private func count(_ owner: DomainName, _ type: RecordType) -> Int {
        rrsets(of: owner).first { $0.type == type }?.records.count ?? 0
    }
}
