/// The places of a server's connections: which connections have one, and which gives way when all are taken.
///
/// A connection belongs to a client and to a crowd of clients: an address and its network, or a process and its user. A
/// new connection always gets a place. It costs, with the new one counted in:
///
/// 1. the idlest connection of the same client, if the client exceeds its limit;
/// 2. otherwise, if all places are taken, the idlest connection of the crowd with the most. If several crowds have as
///    many, the idlest of all of these.
///
/// So a client with few places loses none to one with many. The idlest connection is the one whose last progress is
/// longest ago: its admission, or a call of ``touch(_:)``. The order of calls is the clock.
///
///     clients ── chain per client ──┐
///                                   ├── slots (at most `limit` + 1), idlest first in each chain
///     crowds ─── chain per crowd ───┘
///        └────── heap: most connections first, then the idlest head
///
/// Admission, progress and leaving take O(log crowds). Memory is bounded by `limit` slots, crowds and clients, and is
/// never released. Keys are hashed with the process's seed, so that clients cannot choose colliding keys.
package struct ConnectionPlaces<Crowd: Hashable, Client: Hashable, Occupant> {
    /// Identifies one admitted connection. It has no effect after that has left, even if its slot is reused.
    package struct Place: Hashable, Sendable {
        let slot: Int
        let admission: UInt64
    }

    /// Why a connection gave way.
    package enum Cause: String, Sendable, CaseIterable {
        /// The client exceeded its limit.
        case client
        /// All places were taken, and its crowd had the most.
        case crowd
    }

    /// The connection that gave way. It has left already; the caller must close it.
    package struct Eviction {
        package let occupant: Occupant
        package let cause: Cause
    }

    struct Slot {
        let occupant: Occupant
        let client: Client
        let crowd: Int
        let admission: UInt64
        /// The sequence number of its last progress.
        var progress: UInt64
    }

    /// Places for all.
    package let limit: Int
    /// Places for one client.
    package let perClient: Int
    var slots: [Slot?] = []
    private var free: [Int] = []
    private var calls: UInt64 = 0
    private var clients: [Client: Chain] = [:]
    private var clientLinks = Links()
    var crowds = Crowds<Crowd>()

    /// - Parameters:
    ///   - limit: places for all, at least 1.
    ///   - perClient: places for one client, at least 1.
    package init(limit: Int, perClient: Int) {
        precondition(limit >= 1 && perClient >= 1, "a server needs a place for a connection")
        self.limit = limit
        self.perClient = perClient
    }

    /// Connections that have a place.
    package var count: Int { slots.count - free.count }

    /// All connections with a place, in no order.
    package var occupants: [Occupant] { slots.compactMap { $0?.occupant } }

    /// Crowds that have a connection.
    package var crowdCount: Int { crowds.count }

    /// Connections of a crowd.
    package func count(in crowd: Crowd) -> Int { crowds.count(of: crowd) }

    /// Connections of a client.
    package func count(of client: Client) -> Int { clients[client]?.count ?? 0 }

    /// True when a new connection would take a place from its own client or crowd: the client is at its limit; or all
    /// places are taken, and no crowd would have more than this one.
    package func costsItsOwn(_ client: Client, in crowd: Crowd) -> Bool {
        count(of: client) >= perClient || count >= limit && count(in: crowd) + 1 >= crowds.most
    }

    /// Admits a connection.
    ///
    /// - Returns: its place, and the connection that lost a place for it, never the new one.
    package mutating func admit(
        _ occupant: Occupant, from client: Client, in crowd: Crowd
    ) -> (place: Place, evicted: Eviction?) {
        calls += 1
        let slot = takeSlot()
        let group = crowds.append(slot, to: crowd, at: calls)
        slots[slot] = Slot(
            occupant: occupant, client: client, crowd: group, admission: calls, progress: calls)
        clientLinks.append(slot, to: &clients[client, default: Chain()])
        let place = Place(slot: slot, admission: calls)
        return (place, makeRoom(for: client))
    }

    /// The connection made progress: what clients connect for.
    package mutating func touch(_ place: Place) {
        guard holds(place), let client = slots[place.slot]?.client, let crowd = slots[place.slot]?.crowd else { return }
        calls += 1
        slots[place.slot]?.progress = calls
        clientLinks.renew(place.slot, in: &clients[client, default: Chain()])
        crowds.renew(place.slot, of: crowd, at: calls) { [slots] in slots[$0]?.progress ?? 0 }
    }

    /// The connection has ended. No effect if it gave way before.
    ///
    /// - Returns: false if it had no place any more.
    @discardableResult
    package mutating func leave(_ place: Place) -> Bool {
        guard holds(place) else { return false }
        vacate(place.slot)
        return true
    }

    private func holds(_ place: Place) -> Bool { slots[place.slot]?.admission == place.admission }

    /// The new connection is counted in already. It is never chosen: it is the newest of its chains, and if it is alone
    /// in its crowd and no crowd has more, the head of another crowd is older, since there are at least two
    /// connections.
    private mutating func makeRoom(for client: Client) -> Eviction? {
        if let chain = clients[client], chain.count > perClient { return evict(chain.first, .client) }
        guard count > limit, let idlest = crowds.idlestOfMostCrowded else { return nil }
        return evict(idlest, .crowd)
    }

    private mutating func evict(_ slot: Int, _ cause: Cause) -> Eviction? {
        guard let occupant = slots[slot]?.occupant else { return nil }
        vacate(slot)
        return Eviction(occupant: occupant, cause: cause)
    }

    private mutating func takeSlot() -> Int {
        if let slot = free.popLast() { return slot }
        slots.append(nil)
        clientLinks.grow()
        crowds.grow()
        return slots.count - 1
    }

    private mutating func vacate(_ index: Int) {
        guard let slot = slots[index] else { return }
        clientLinks.remove(index, from: &clients[slot.client, default: Chain()])
        if clients[slot.client]?.count == 0 { clients[slot.client] = nil }
        slots[index] = nil
        crowds.remove(index, of: slot.crowd) { [slots] in slots[$0]?.progress ?? 0 }
        free.append(index)
    }
}

extension ConnectionPlaces: Sendable where Crowd: Sendable, Client: Sendable, Occupant: Sendable {}
extension ConnectionPlaces.Slot: Sendable where Crowd: Sendable, Client: Sendable, Occupant: Sendable {}
extension ConnectionPlaces.Eviction: Sendable where Crowd: Sendable, Client: Sendable, Occupant: Sendable {}
