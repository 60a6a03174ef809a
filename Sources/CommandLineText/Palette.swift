/// What a piece of text means; ``Palette`` decides how that looks.
public enum TextStyle: Sendable {
    case plain, strong, faint, good, warning, bad
}

/// How styles look: as colours of the terminal, or not at all.
public struct Palette: Sendable {
    private let isColoured: Bool

    /// For files, pipes and those who set NO_COLOR.
    public static let plain = Palette(isColoured: false)
    /// For terminals: the escapes of ECMA-48, section 8.3.117 (SGR).
    public static let coloured = Palette(isColoured: true)

    func paint(_ text: String, _ style: TextStyle) -> String {
        guard isColoured, let code = style.code else { return text }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}

extension TextStyle {
    fileprivate var code: Int? {
        switch self {
        case .plain: nil
        case .strong: 1
        case .faint: 2
        case .bad: 31
        case .good: 32
        case .warning: 33
        }
    }
}

extension String {
    /// Without what would move the cursor, change colours or reverse the text's direction: names of places and nodes come
    /// from files of others.
    public var printable: String {
        guard unicodeScalars.contains(where: \.steersTerminal) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars { result.append(scalar.steersTerminal ? "\u{FFFD}" : scalar) }
        return String(result)
    }
}

extension Unicode.Scalar {
    fileprivate var steersTerminal: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F: true  // C0, DEL, C1
        case 0x202A...0x202E, 0x2066...0x2069: true  // overrides of direction
        default: false
        }
    }
}
