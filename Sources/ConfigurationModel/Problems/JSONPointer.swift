import VisibleText

/// Names a value of a JSON document (RFC 6901).
public struct JSONPointer: Hashable, Sendable {
    /// Names of members and indices of elements, from the root down; none for the whole document.
    public let tokens: [String]

    public init(tokens: [String] = []) {
        self.tokens = tokens
    }

    /// Reads the string form (RFC 6901, sections 3 and 4), as `/nodes/0/id`; `nil` for what is no pointer.
    public init?(_ text: String) {
        guard !text.isEmpty else {
            self.init()
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts[0].isEmpty else { return nil }
        var tokens: [String] = []
        for part in parts.dropFirst() {
            guard let token = Self.unescaped(part) else { return nil }
            tokens.append(token)
        }
        self.init(tokens: tokens)
    }

    /// `~1` stands for `/` and `~0` for `~`; a tilde before anything else is an error.
    private static func unescaped(_ part: Substring) -> String? {
        var token = ""
        var rest = part.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "~" else {
                token.unicodeScalars.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "0": token += "~"
            case "1": token += "/"
            default: return nil
            }
        }
        return token
    }

    /// The pointer to a member of the object that this one names.
    public func appending(_ name: String) -> JSONPointer { JSONPointer(tokens: tokens + [name]) }

    /// The pointer to an element of the array that this one names; the first has index 0.
    public func appending(_ index: Int) -> JSONPointer { appending("\(index)") }
}

extension JSONPointer: CustomStringConvertible {
    /// The string form.
    public var description: String {
        tokens.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }
}

extension JSONPointer: Comparable {
    /// A value before those inside it; elements by index.
    public static func < (left: JSONPointer, right: JSONPointer) -> Bool {
        left.tokens.lexicographicallyPrecedes(right.tokens, by: NaturalOrder.precedes)
    }
}
