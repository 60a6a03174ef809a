package import ControlFailures
package import DNSWire
import VisibleText
package import Zones

/// Changes of one zone that belong together.
package struct RecordRequest: Sendable {
    package enum Kind: Sendable {
        /// What a caller wants.
        case change
        /// Takes a change back.
        ///
        /// - Parameter expected: what RRsets must have for the request to be made; without records: the RRset must not
        ///   exist.
        case undo(expected: [RRsetChange])
        /// Addresses that an alias's target has. They change too often for a history, which has only what a caller had
        /// set before, and leave the serial as it is.
        case alias

        var isOfAlias: Bool { if case .alias = self { true } else { false } }
    }

    package let zone: DomainName
    /// Of type ANY and without records: everything that a name has.
    package let changes: [RRsetChange]
    package let kind: Kind
    package let author: String?
    let start = ContinuousClock.now

    package init(zone: DomainName, changes: [RRsetChange], _ kind: Kind = .change, author: String?) {
        self.zone = zone
        self.changes = changes
        self.kind = kind
        self.author = author
    }

    package static func refusal(_ problems: [String]) -> ControlFailure {
        ControlFailure(
            .invalid, problems.prefix(100).joined(separator: "\n"),
            remedy: "nothing has changed; correct it and try again")
    }

    /// For the log of aliases. Both families are often refused for the same reason.
    static func refusalOfAlias(_ problems: [(type: RecordType, message: String)]) -> ControlFailure {
        var types: [(message: String, types: [String])] = []
        for (type, message) in problems {
            if let index = types.firstIndex(where: { $0.message == message }) {
                types[index].types.append("\(type)")
            } else {
                types.append((message, ["\(type)"]))
            }
        }
        return ControlFailure(
            .invalid,
            types.map { "\($0.types.joined(separator: " and ")): \($0.message)" }.joined(separator: "; "),
            remedy: "change its zone, or remove the alias")
    }

    /// Where a change stands in its request, from 1 as people count.
    package static func place(_ index: Int, _ name: some CustomStringConvertible, _ type: some CustomStringConvertible)
        -> String
    {
        "change \(index + 1) (\(VisibleText.cut("\(name)", after: 255)) \(VisibleText.cut("\(type)"))): "
    }

    package static func unknown(_ zone: DomainName) -> ControlFailure {
        ControlFailure(
            .notFound, "no zone \(zone) is served", remedy: "nearcast status shows the zones that are")
    }
}
