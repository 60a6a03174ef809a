import VisibleText

/// Identifies a value in a JSON document (RFC 6901).
public struct JSONPointer: Hashable, Sendable {
    /// Names of members and indices of elements, from the root down. Empty for the whole document.
    public let tokens: [String]

    public init(tokens: [String] = []) {
        self.tokens = tokens
    }

    /// Reads the string form (RFC 6901, sections 3 and 4), such as `/nodes/0/id`. `nil` if it is not a pointer.
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

    /// `~1` stands for `/` and `~0` for `~`. A tilde before anything else is an error.
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

    /// The pointer to a member of the object at this pointer.
    public func appending(_ name: String) -> JSONPointer { JSONPointer(tokens: tokens + [name]) }

    /// The pointer to an element of the array at this pointer. The first has index 0.
    public func appending(_ index: Int) -> JSONPointer { appending("\(index)") }
}

extension JSONPointer: CustomStringConvertible {
    /// The string form.
    public var description: String {
        tokens.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }
}

extension JSONPointer: Comparable {
    /// A value sorts before those inside it. Elements sort by index.
    public static func < (left: JSONPointer, right: JSONPointer) -> Bool {
        left.tokens.lexicographicallyPrecedes(right.tokens, by: NaturalOrder.precedes)
    }
}
