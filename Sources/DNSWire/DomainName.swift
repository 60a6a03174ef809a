/// A domain name as its uncompressed wire bytes (RFC 1035, section 3.1): length-prefixed labels, then the root label.
///
/// The case of letters is kept for display and echo. Equality, hashing and order ignore it (RFC 4343). Names sort in
/// the canonical order of RFC 4034, section 6.1: label by label from the root, as lower-case octet strings.
public struct DomainName: Sendable {
    /// Maximum length on the wire, including the root label (RFC 1035, section 2.3.4).
    public static let maximumLength = 255
    /// Maximum length of a label, without its length byte.
    public static let maximumLabelLength = 63

    /// The wire form, 1 to 255 bytes, in its original case.
    public let wire: [UInt8]

    /// The name of zero labels.
    public static let root = DomainName(uncheckedWire: [0])

    /// The caller guarantees that `wire` is one complete valid name.
    init(uncheckedWire wire: [UInt8]) { self.wire = wire }

    /// Takes one complete uncompressed name. `nil` if labels are too long, compressed or unterminated, if the name is
    /// longer than 255 bytes, or if bytes are left over.
    public init?(wire: some Collection<UInt8>) {
        let wire = Array(wire)
        guard let length = wire.withUnsafeBytes({ Self.wireLength(in: $0, at: 0) }), length == wire.count else {
            return nil
        }
        self.wire = wire
    }

    /// The length of the uncompressed name that starts at `start`, including the root label; `nil` if there is none.
    public static func wireLength(in bytes: UnsafeRawBufferPointer, at start: Int) -> Int? {
        var position = start
        while position < bytes.count, position - start < maximumLength {
            let label = Int(bytes[position])
            position += 1 + label
            if label == 0 { return position - start }
            guard label <= maximumLabelLength else { return nil }
        }
        return nil
    }

    /// `byte` with ASCII letters in lower case. Label lengths (at most 63) are below "A" and never change, so a whole
    /// wire name can be lower-cased without parsing its labels.
    @inlinable
    public static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// The wire form in lower case: the key of every lookup.
    public var lowercasedWire: [UInt8] { wire.map(Self.lowercased) }

    /// Number of labels without the root: 2 for `example.com.`, 0 for the root.
    public var labelCount: Int { labelOffsets.count }

    public var isRoot: Bool { wire.count == 1 }

    /// The name without its first label; `nil` for the root.
    public var parent: DomainName? {
        isRoot ? nil : DomainName(uncheckedWire: Array(wire[(1 + Int(wire[0]))...]))
    }

    /// Whether the first label is an asterisk (RFC 4592, section 2.1.1).
    public var isWildcard: Bool { wire.count >= 3 && wire[0] == 1 && wire[1] == UInt8(ascii: "*") }

    /// Whether this name is `other` or below it.
    public func isSubdomain(of other: DomainName) -> Bool {
        let skipped = wire.count - other.wire.count
        guard skipped >= 0 else { return false }
        // The suffix must begin at a label, because the end of a label can look like a name.
        guard skipped == 0 || other.isRoot || labelOffsets.contains(skipped) else { return false }
        return Self.equal(wire[skipped...], other.wire[...])
    }

    /// This name's labels followed by `suffix`, as for DNAME substitution and relative names; `nil` if the result is
    /// longer than 255 bytes.
    public func appending(_ suffix: DomainName) -> DomainName? {
        guard wire.count - 1 + suffix.wire.count <= Self.maximumLength else { return nil }
        return DomainName(uncheckedWire: wire.dropLast() + suffix.wire)
    }

    /// The offsets of the labels' length bytes in `wire`, first label first, without the root.
    var labelOffsets: [Int] {
        var offsets: [Int] = []
        var position = 0
        while wire[position] != 0 {
            offsets.append(position)
            position += 1 + Int(wire[position])
        }
        return offsets
    }

    static func equal(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { lowercased($0) == lowercased($1) }
    }
}

extension DomainName: Hashable, Comparable {
    public static func == (left: DomainName, right: DomainName) -> Bool { equal(left.wire[...], right.wire[...]) }

    public func hash(into hasher: inout Hasher) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: wire.count) { lowered in
            for index in wire.indices { lowered[index] = Self.lowercased(wire[index]) }
            hasher.combine(bytes: UnsafeRawBufferPointer(lowered))
        }
    }

    public static func < (left: DomainName, right: DomainName) -> Bool {
        let (leftLabels, rightLabels) = (left.labelOffsets, right.labelOffsets)
        for (leftOffset, rightOffset) in zip(leftLabels.reversed(), rightLabels.reversed()) {
            let leftLabel = left.wire[(leftOffset + 1)...].prefix(Int(left.wire[leftOffset])).lazy.map(lowercased)
            let rightLabel = right.wire[(rightOffset + 1)...].prefix(Int(right.wire[rightOffset])).lazy.map(lowercased)
            if leftLabel.lexicographicallyPrecedes(rightLabel) { return true }
            if rightLabel.lexicographicallyPrecedes(leftLabel) { return false }
        }
        return leftLabels.count < rightLabels.count
    }
}
