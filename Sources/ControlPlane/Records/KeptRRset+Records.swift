import ModelCompiler
package import StateStore

// Records as the store keeps them: each behind its length.

extension KeptRRset {
    init(_ set: ZoneChanges.RRset) {
        self.init(
            ttl: set.ttl, records: Self.bytes(set.records), time: set.time, author: set.author,
            isOfAlias: set.isOfAlias, answerEnds: set.answerEnds)
    }

    /// Each record behind its length in two bytes.
    fileprivate static func bytes(_ records: some Sequence<[UInt8]>) -> [UInt8] {
        var bytes: [UInt8] = []
        for record in records { bytes += [UInt8(record.count >> 8), UInt8(record.count & 255)] + record }
        return bytes
    }

    /// The records in bytes that ``bytes(_:)`` made, up to the first damage.
    package static func records(_ bytes: [UInt8]) -> [[UInt8]] { read(bytes).records }

    /// The same; `nil` for damaged bytes.
    package static func records(whole bytes: [UInt8]) -> [[UInt8]]? {
        let (records, isWhole) = read(bytes)
        return isWhole ? records : nil
    }

    private static func read(_ bytes: [UInt8]) -> (records: [[UInt8]], isWhole: Bool) {
        var records: [[UInt8]] = []
        var rest = bytes[...]
        while rest.count >= 2 {
            let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            guard rest.count >= 2 + length else { break }
            records.append(Array(rest.dropFirst(2).prefix(length)))
            rest = rest.dropFirst(2 + length)
        }
        return (records, rest.isEmpty)
    }
}

extension KeptRecordChange.Content {
    /// `nil` without records.
    init?(ttl: UInt32, records: some Sequence<[UInt8]>) {
        let bytes = KeptRRset.bytes(records)
        guard !bytes.isEmpty else { return nil }
        self.init(ttl: ttl, records: bytes)
    }
}

extension ZoneChanges.RRset {
    init(_ kept: KeptRRset) {
        self.init(
            ttl: kept.ttl, records: KeptRRset.records(kept.records), time: kept.time, author: kept.author,
            isOfAlias: kept.isOfAlias, answerEnds: kept.answerEnds)
    }
}
