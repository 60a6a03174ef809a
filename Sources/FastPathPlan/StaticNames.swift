import DNSWire
import Resolution
import Zones

/// The static answers of a name, or `left` if the resolver answers.
enum StaticAnswers: Sendable {
    case left
    /// Replies by type; `nil` leaves a type to the resolver. `other` is for all types that are not listed.
    case replies([Typed], other: RenderedReply?)
    /// The same for an alias to a chosen node: `other` is composed, too.
    case alias([Typed], other: ComposedReply?)

    struct Typed: Sendable {
        let type: RecordType
        let reply: RenderedReply?
        /// Whether other names have the same reply.
        var isShared = false
        /// Replaces the reply if it is composed from nodes.
        var composed: ComposedReply?
    }
}

/// The negative replies of a zone, which its names share.
struct StaticZone: Sendable {
    /// In lower case.
    let apex: [UInt8]
    /// For types that a name does not have.
    let noData: RenderedReply?
    /// For names that do not exist.
    let noName: RenderedReply?

    /// Zones with more names store these replies once, in cells of their own.
    static let fewNames = 64
}

/// A name in a table of static answers.
///
/// The table contains every ancestor of its names. So a name that is not in the table is directly below its closest
/// encloser there.
struct StaticName: Sendable {
    /// In lower case.
    let wire: [UInt8]
    /// For the name itself. Meta types are always left to the resolver.
    let own: StaticAnswers
    /// For names below it that are not in the table.
    let below: StaticAnswers
}

extension ServingModel {
    /// Calls `body` with every name that a table of static answers needs: those of zones without an access list, the
    /// apexes of other zones, and the names above the apexes. Tailored addresses are not included.
    ///
    /// - Parameter zone: called before the names of each large zone, and with `nil` after them.
    func forEachStaticName(zone enter: (StaticZone?) -> Void = { _ in }, _ body: (StaticName) -> Void) {
        let renderer = StaticRenderer(self)
        let hasNested = zones.zones.count > 1
        for zone in zones.zones {
            guard zones.accessList(of: zone) == nil else {
                body(StaticName(wire: zone.apex.lowercasedWire, own: .left, below: .left))
                continue
            }
            let names = ZoneNames(zone, renderer, hasNested: hasNested)
            let isLarge = zone.nameCount > StaticZone.fewNames
            if isLarge { enter(names.replies) }
            names.forEach(body)
            if isLarge { enter(nil) }
        }
        forEachNameAboveZones(renderer, body)
    }

    /// The names above the apexes that are in no zone: queries for them are refused. If such a name should be in
    /// another zone but is missing there, the resolver answers.
    private func forEachNameAboveZones(_ renderer: StaticRenderer, _ body: (StaticName) -> Void) {
        let refusal = StaticAnswers.replies([], other: renderer.render([1, 0, 0], .a))
        var seen: Set<[UInt8]> = []
        func enter(_ wire: [UInt8]) {
            guard seen.insert(wire).inserted else { return }
            LookupName.withScratch { name in
                wire.withUnsafeBytes { name.load($0) }
                guard let zone = renderer.zone(of: name) else {
                    return body(StaticName(wire: wire, own: refusal, below: refusal))
                }
                if zones.accessList(of: zone) != nil || !zone.lists(name) {
                    body(StaticName(wire: wire, own: .left, below: .left))
                }
            }
        }
        for zone in zones.zones {
            var wire = zone.apex.lowercasedWire[...]
            while wire.count > 1 {
                wire = wire.dropFirst(1 + Int(wire[wire.startIndex]))
                enter(Array(wire))
            }
        }
        // The root is above every name, even if no zone is served.
        if !zones.zones.contains(where: { $0.apex.wire.count == 1 }) { enter([0]) }
    }
}

extension Zone {
    /// Whether queries can find `name` as a name of this zone.
    func lists(_ name: LookupName) -> Bool {
        guard let node = names.find(name, from: 0), !nodes[node].isHashedOwner else { return false }
        return nodes[node].boundary < 0 || Int(nodes[node].boundary) == node
    }
}
