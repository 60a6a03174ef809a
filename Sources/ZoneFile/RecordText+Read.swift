public import DNSWire
import VisibleText

/// Why a text is not valid RDATA, and how to correct it.
public struct RecordTextError: Error, Hashable, Sendable, CustomStringConvertible {
    /// In bytes of the text, from 1.
    public var column: Int
    public var message: String

    public var description: String { "column \(column): \(message)" }
}

extension RecordType {
    /// Reads RDATA of this type from zone file text on one line, without owner, TTL, class and type. It reads the
    /// output of `presentation(of:)` back to the same bytes.
    ///
    /// Names must end with a dot, because there is no zone to complete relative names.
    public func data(presentation text: String) throws(RecordTextError) -> [UInt8] {
        let data = try read(text, relativeTo: .root)
        // If the result depends on the origin, some name does not end with a dot.
        guard (try? read(text, relativeTo: Self.elsewhere)) == data else {
            throw RecordTextError(
                column: 1,
                message:
                    "a name in \(VisibleText.quoted(text)) does not end with a dot; write it in full, as www.example.com."
            )
        }
        return data
    }

    private static let elsewhere = DomainName(wire: [7] + Array("invalid".utf8) + [0]) ?? .root

    private func read(_ text: String, relativeTo origin: DomainName) throws(RecordTextError) -> [UInt8] {
        var reader = FieldReader(text: Array(text.utf8), file: "", origin: origin)
        do throws(ZoneFileError) {
            guard try reader.nextEntry() else {
                throw ZoneFileError(
                    file: "", line: 1, column: 1, message: "the RDATA is missing; add the fields of \(self)")
            }
            try reader.data(of: self)
            try reader.end()
            let data = reader.output
            guard try !reader.nextEntry() else {
                throw reader.error("a record is one line; give each record its own text")
            }
            return data
        } catch { throw RecordTextError(column: error.column, message: error.message) }
    }
}
