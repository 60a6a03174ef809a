import VisibleText

/// The location of a value: a place in a text file, or a value of a JSON document.
///
/// Rules know nothing else about the origin of values, so they find the same problems in a file, a request body and a
/// store.
public enum DocumentLocation: Hashable, Sendable {
    /// A file as a whole: it is missing, unreadable or too large.
    case file(FileName)
    /// A place in the text of a file.
    case text(FileName, TextPosition)
    /// A value of a JSON document (RFC 6901).
    case pointer(JSONPointer)

    /// How a message at `place` refers to this location: `line 5` in the same file, `conf.d/web.yaml:5:3` in another,
    /// or `/nodes/0/id`.
    package func reference(from place: DocumentLocation) -> String {
        guard case .text(let file, let position) = self else { return description }
        if case .text(let other, _) = place, other != file { return description }
        return "line \(position.line)"
    }

    /// The absolute folder of the file, from which relative paths in it start. `nil`: it is not known.
    package var folder: String? {
        switch self {
        case .file(let file), .text(let file, _): file.folder
        case .pointer: nil
        }
    }
}

extension DocumentLocation: CustomStringConvertible {
    /// `nearcast.yaml:12:5`, which editors and terminals make clickable; or `/nodes/0/id`.
    public var description: String {
        switch self {
        case .file(let file): file.text
        case .text(let file, let position): "\(file.text):\(position)"
        case .pointer(let pointer) where pointer.tokens.isEmpty: "the document"
        // The names in it are untrusted text.
        case .pointer(let pointer): VisibleText.cut(pointer.description, after: 1_024)
        }
    }
}

extension DocumentLocation: Comparable {
    /// Files sort before documents: in a file by line and column, in a document by pointer.
    public static func < (left: DocumentLocation, right: DocumentLocation) -> Bool {
        switch (left, right) {
        case (.file(let left), .file(let right)): left.text < right.text
        case (.file(let left), .text(let right, _)): left.text <= right.text
        case (.text(let left, _), .file(let right)): left.text < right.text
        case (.text(let file, let left), .text(let other, let right)): (file.text, left) < (other.text, right)
        case (.pointer(let left), .pointer(let right)): left < right
        case (.pointer, _): false
        case (_, .pointer): true
        }
    }
}

/// A file name, as messages show it. All locations in a file share one: every declared value has two locations, and
/// there may be millions of values.
public final class FileName: Sendable, Hashable {
    public let text: String
    /// The absolute path of its folder. `nil`: it is not known.
    package let folder: String?

    public init(_ text: String, folder: String? = nil) {
        self.text = text
        self.folder = folder
    }

    public static func == (left: FileName, right: FileName) -> Bool { left === right || left.text == right.text }

    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// A position in a text. Lines and columns start at 1. Columns count Unicode scalars.
public struct TextPosition: Hashable, Sendable, Comparable, CustomStringConvertible {
    // This halves the size of a location, compared with two `Int`.
    private let lineNumber: UInt32
    private let columnNumber: UInt32

    public var line: Int { Int(lineNumber) }
    public var column: Int { Int(columnNumber) }

    /// Lines and columns beyond 2^32 - 1 are clamped to it.
    public init(line: Int, column: Int) {
        lineNumber = UInt32(clamping: line)
        columnNumber = UInt32(clamping: column)
    }

    public static func < (left: TextPosition, right: TextPosition) -> Bool {
        (left.lineNumber, left.columnNumber) < (right.lineNumber, right.columnNumber)
    }

    public var description: String { "\(line):\(column)" }
}
