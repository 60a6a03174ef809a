import VisibleText

/// The names of an object's fields.
struct FieldNames: Decodable {
    let names: [String]

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        names = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue)
    }
}

extension Decoder {
    /// Refuses unknown fields: a mistyped field must not count as one that was left out.
    func requireKnown<Field: CodingKey & CaseIterable>(_ fields: Field.Type) throws {
        let known = fields.allCases.map(\.stringValue)
        guard let other = try FieldNames(from: self).names.filter({ !known.contains($0) }).min() else { return }
        throw DecodingError.dataCorrupted(
            .init(
                codingPath: codingPath,
                debugDescription:
                    "there is no field \(VisibleText.quoted(other)); the fields are \(known.joined(separator: ", "))"))
    }
}

extension KeyedDecodingContainer {
    /// An integer that may be absent. The decoder's own error for another number names no field.
    func whole<Value: FixedWidthInteger & Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
        do { return try decodeIfPresent(type, forKey: key) } catch let error as DecodingError { throw error } catch {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self,
                debugDescription: "the number is not an integer, or out of range")
        }
    }
}

extension DecodingError {
    /// Where the JSON is wrong, and how.
    var summary: String {
        func place(_ path: [any CodingKey]) -> String {
            let text = path.reduce("") { text, key in
                if let index = key.intValue { return text + "[\(index)]" }
                // A dictionary's key is the sender's text.
                let word = VisibleText.cut(key.stringValue)
                return text.isEmpty ? word : "\(text).\(word)"
            }
            return text.isEmpty ? "the body" : text
        }
        return switch self {
        case .keyNotFound(let key, let context):
            "\(place(context.codingPath + [key])) is missing"
        // Foundation's text names Swift types here.
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(place(context.codingPath)) has a value of another type than expected"
        case .dataCorrupted(let context) where context.debugDescription.hasPrefix("Cannot initialize"):
            "\(place(context.codingPath)) is not one of its possible values"
        // Foundation also says this, without a place, of a number that does not fit its field.
        case .dataCorrupted(let context) where context.debugDescription.hasPrefix("The given data was not valid JSON"):
            "the body is not JSON, or has a number that is too large, negative or not an integer"
        case .dataCorrupted(let context):
            "\(place(context.codingPath)): \(VisibleText.cut(context.debugDescription, after: 300))"
        @unknown default:
            "the body cannot be read"
        }
    }
}
