package import ControlFailures
package import DNSWire
import VisibleText
package import Zones

/// Changes of one zone that belong together.
package struct RecordRequest: Sendable {
    package let zone: DomainName
    /// Of type ANY and without records: everything that a name has.
    package let changes: [RRsetChange]
    package let author: String?
    /// What RRsets must have for the request to be made; without records: the RRset must not exist.
    package let expected: [RRsetChange]
    /// Addresses that an alias's target has. They change too often for a history, and leave the serial as it is.
    let isOfAlias: Bool
    let start = ContinuousClock.now

    /// The beginning of the author of addresses of aliases. Authors of callers begin with `uid` or a token's name.
    static let aliasAuthor = "(alias)"

    package init(
        zone: DomainName, changes: [RRsetChange], expected: [RRsetChange] = [], author: String?, isOfAlias: Bool = false
    ) {
        self.zone = zone
        self.changes = changes
        self.expected = expected
        self.author = author
        self.isOfAlias = isOfAlias
    }

    package static func refusal(_ problems: [String]) -> ControlFailure {
        ControlFailure(
            .invalid, problems.prefix(100).joined(separator: "\n"),
            remedy: "nothing has changed; correct it and try again")
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
