import DNSWire
import Steering

/// Indices of a model's tailored names, by lower-case wire form.
struct TailoredIndex: Sendable {
    /// Steering hash of a name → indices.
    private var addresses: [UInt64: [Int]] = [:]
    private let addressWires: [[UInt8]]
    /// The same for names with other tailored records.
    private var records: [UInt64: [Int]] = [:]
    private let recordWires: [[UInt8]]
    /// Whether any name is a wildcard.
    let hasWildcards: Bool

    init(_ tailored: [TailoredName], _ tailoredRecords: [TailoredRecords]) {
        addressWires = tailored.map(\.name.lowercasedWire)
        for (place, name) in tailored.enumerated() { addresses[name.steeringHash, default: []].append(place) }
        hasWildcards = (tailored.map(\.name) + tailoredRecords.map(\.name)).contains(where: \.isWildcard)
        recordWires = tailoredRecords.map(\.name.lowercasedWire)
        for (place, name) in tailoredRecords.enumerated() { records[name.steeringHash, default: []].append(place) }
    }

    func addresses(of lowercasedWire: UnsafeRawBufferPointer) -> Int? {
        guard !addresses.isEmpty, let candidates = addresses[steeringHash(lowercasedWire)] else { return nil }
        return candidates.first { addressWires[$0].elementsEqual(lowercasedWire) }
    }

    /// The first of a name's records that satisfies `isMeant`.
    func records(of lowercasedWire: UnsafeRawBufferPointer, where isMeant: (Int) -> Bool) -> Int? {
        guard !records.isEmpty, let candidates = records[steeringHash(lowercasedWire)] else { return nil }
        return candidates.first { recordWires[$0].elementsEqual(lowercasedWire) && isMeant($0) }
    }

    /// All records of a name, in the model's order.
    func allRecords(of lowercasedWire: UnsafeRawBufferPointer) -> [Int] {
        guard !records.isEmpty, let candidates = records[steeringHash(lowercasedWire)] else { return [] }
        return candidates.filter { recordWires[$0].elementsEqual(lowercasedWire) }
    }
}
