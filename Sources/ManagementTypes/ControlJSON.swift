package import ControlFailures
import FoundationEssentials

/// The JSON of the API: dates by RFC 3339, and sorted keys, so that equal values are equal bytes.
public enum ControlJSON {
    /// - Parameter pretty: for people; otherwise one line.
    public static func encode(_ value: some Encodable, pretty: Bool = false) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            pretty ? [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted] : [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(ControlDate.text(date))
        }
        return Array(try encoder.encode(value))
    }

    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let date = ControlDate.date(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "a time is written as 2027-01-31T22:00:00Z")
            }
            return date
        }
        return try decoder.decode(type, from: Data(bytes))
    }

    /// The body of a request.
    ///
    /// - Parameter example: a body that would be accepted.
    /// - Throws: `invalid`, in the user's words.
    package static func body<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], example: String
    ) throws(ControlFailure) -> Value {
        do { return try decode(type, from: bytes) } catch let error as DecodingError {
            throw ControlFailure(.invalid, error.summary, remedy: "send JSON such as \(example)")
        } catch {
            throw ControlFailure(.internal, "\(error)")
        }
    }
}
