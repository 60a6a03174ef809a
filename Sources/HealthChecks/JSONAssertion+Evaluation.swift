import FoundationEssentials
import Health

extension JSONAssertion {
    /// Why a document does not hold the value; `nil`: it does.
    func problem(in document: [UInt8]) -> String? {
        guard let root = try? JSONDecoder().decode(JSONValue.self, from: Data(document)) else {
            return "the body is not JSON"
        }
        var place = root
        for step in steps {
            guard let next = place.at(step) else { return "nothing at \(path)" }
            place = next
        }
        return place.text == value ? nil : "\(path) is \(String(place.text.prefix(80))), not \(value)"
    }
}

/// Any JSON value.
private enum JSONValue: Decodable {
    case object([String: JSONValue])
    case array([JSONValue])
    case string(String)
    case number(Decimal)
    case bool(Bool)
    case null

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Decimal.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    func at(_ step: JSONAssertion.Step) -> JSONValue? {
        switch (self, step) {
        case (.object(let members), .member(let name)): members[name]
        case (.array(let elements), .index(let index)):
            elements.indices.contains(index < 0 ? elements.count + index : index)
                ? elements[index < 0 ? elements.count + index : index] : nil
        default: nil
        }
    }

    /// As a configuration writes it.
    var text: String {
        switch self {
        case .string(let text): text
        case .number(let number): "\(number)"
        case .bool(let bool): bool ? "true" : "false"
        case .null: "null"
        case .array(let elements): "an array of \(elements.count)"
        case .object: "an object"
        }
    }
}
