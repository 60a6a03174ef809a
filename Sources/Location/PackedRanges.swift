/// Ranges stored for later use in a third of the size. They can only be read in sequence.
///
///     a range: bits by which its length is shifted (1 byte) │ the odd number that is left, halved │ place
///              both numbers in groups of seven bits, the lowest first, bit 7 set in all but the last
///
/// Lengths are those of the preceding ranges. Most are powers of two and take two bytes.
struct PackedRanges<Address: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    private let bytes: [UInt8]
    private let count: Int

    init(_ ranges: PlaceRanges<Address>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(6 * ranges.storedStarts.count)
        var last: Address = 0
        for (start, place) in zip(ranges.storedStarts, ranges.storedPlaces) {
            let length = start - last
            let shift = length == 0 ? 0 : length.trailingZeroBitCount
            bytes.append(UInt8(shift))
            Self.append(length >> (Address(shift) + 1), to: &bytes)
            Self.append(place, to: &bytes)
            last = start
        }
        // Drops the spare capacity.
        self.bytes = Array(bytes[...])
        count = ranges.storedStarts.count
    }

    /// Size in bytes.
    var size: Int { bytes.count }

    var ranges: PlaceRanges<Address> {
        var ranges = PlaceRanges<Address>()
        ranges.reserveCapacity(count)
        var (offset, start) = (0, Address(0))
        for index in 0..<count {
            let shift = Address(bytes[offset])
            offset += 1
            let halved: Address = next(&offset)
            // The first range has no predecessor: it begins at 0.
            if index > 0 { start += (halved << 1 | 1) << shift }
            ranges.set(from: start, place: next(&offset))
        }
        return ranges
    }

    private static func append<Number: FixedWidthInteger>(_ number: Number, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 128 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private func next<Number: FixedWidthInteger>(_ offset: inout Int) -> Number {
        var (number, shift) = (Number(0), Number(0))
        while true {
            let byte = bytes[offset]
            offset += 1
            number |= Number(byte & 127) << shift
            if byte < 128 { return number }
            shift += 7
        }
    }
}
