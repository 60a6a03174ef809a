public import FoundationEssentials

/// What `nearcast geo update` or `nearcast geo rollback` did.
public struct GeoInstallReport: Codable, Equatable, Sendable {
    public var action: Action
    /// Where the database is.
    public var path: String
    public var installed: Database
    /// The one that was there. Absent if there was none that could be read.
    public var earlier: Database?
    /// Where that one is now.
    public var previousPath: String?

    public enum Action: String, Codable, Sendable {
        case update, rollback
    }

    public struct Database: Codable, Equatable, Sendable {
        /// As the file says itself.
        public var type: String
        public var builtAt: Date
        public var networks: Int

        public init(type: String, builtAt: Date, networks: Int) {
            (self.type, self.builtAt, self.networks) = (type, builtAt, networks)
        }

        fileprivate var text: String {
            "\(type.printable), built \(Quantities.time(builtAt).prefix(10)), \(Quantities.count(networks)) networks"
        }
    }

    public init(action: Action, path: String, installed: Database, earlier: Database?, previousPath: String?) {
        (self.action, self.path, self.installed) = (action, path, installed)
        (self.earlier, self.previousPath) = (earlier, previousPath)
    }

    /// For people.
    public func text(_ palette: Palette) -> String {
        var lines = ["\(palette.paint("installed", .good)): \(path.printable): \(installed.text)"]
        if let earlier, let previousPath {
            lines.append("  before: \(earlier.text), now at \(previousPath.printable)")
            if action == .update { lines.append("  `nearcast geo rollback` returns to it") }
            if earlier.builtAt > installed.builtAt {
                lines.append("  \(palette.paint("warning", .warning)): the one before is newer")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
