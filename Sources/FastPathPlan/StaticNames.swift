import DNSWire
import Resolution
import Zones

/// What every client gets at a name, or what is left to the resolver.
enum StaticAnswers: Sendable {
    case left
    /// By type, where `nil` leaves the type to the resolver; `other` is for all types that are not there.
    case replies([Typed], other: RenderedReply?)
    /// The same of an alias to a node that is chosen: `other` is made, too.
    case alias([Typed], other: MadeReply?)

    struct Typed: Sendable {
        let type: RecordType
        let reply: RenderedReply?
        /// Whether other names have the very same.
        var isShared = false
        /// What stands for the reply where that is made of nodes.
        var made: MadeReply?
    }
}

/// What all names of a zone say of what is not there.
struct StaticZone: Sendable {
    /// In lower case.
    let apex: [UInt8]
    /// To types that a name does not have.
    let noData: RenderedReply?
    /// To names that do not exist.
    let noName: RenderedReply?

    /// Zones of more names have these replies once, in cells of their own.
    static let fewNames = 64
}

/// A name that a table of static answers holds.
///
/// With every name the table has all names above it: what is not in the table is below its closest encloser there.
struct StaticName: Sendable {
    /// In lower case.
    let wire: [UInt8]
    /// Of the name itself. Meta types are always left.
    let own: StaticAnswers
    /// Of names below it that are not in the table.
    let below: StaticAnswers
}

extension ServingModel {
    /// Calls `body` with every name that a table of static answers needs: those of the zones that answer everybody, the apexes of
    /// the others, and the names above the apexes. Tailored addresses are not in them.
    ///
    /// - Parameter zone: called before the names of each zone of many names, and behind them with `nil`.
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

    /// The names above the apexes that are in no zone: queries for them are refused. What of them another zone ought to have
    /// and has not, the resolver knows best.
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
        // The root is above everything, also above no zone at all.
        if !zones.zones.contains(where: { $0.apex.wire.count == 1 }) { enter([0]) }
    }
}

extension Zone {
    /// Whether queries can find `name` as one of the zone's own.
    func lists(_ name: LookupName) -> Bool {
        guard let node = names.find(name, from: 0), !nodes[node].isHashedOwner else { return false }
        return nodes[node].boundary < 0 || Int(nodes[node].boundary) == node
    }
}
