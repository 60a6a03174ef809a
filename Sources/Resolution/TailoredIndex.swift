import DNSWire
import Steering

/// Indices of a model's tailored names, by lower-case wire form.
struct TailoredIndex: Sendable {
    /// Steering hash of a name → indices; more than one only if hashes collide.
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

    func records(of lowercasedWire: UnsafeRawBufferPointer) -> Int? {
        guard !records.isEmpty, let candidates = records[steeringHash(lowercasedWire)] else { return nil }
        return candidates.first { recordWires[$0].elementsEqual(lowercasedWire) }
    }
}
