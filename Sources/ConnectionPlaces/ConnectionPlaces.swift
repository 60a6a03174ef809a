/// The places of a listener: who holds them, and who gives way when they are taken.
///
/// A newcomer is not refused for want of a place. When all are taken, the crowd that holds most of them (a network, or a
/// user) loses the connection that it has not used for longest; the newcomer's crowd counts with the newcomer in it, so
/// that a crowd cannot grow at the cost of smaller ones. Only a client that has its own share already is refused.
///
///     crowds ── count, idlest ──► place ──► place ──► most recently used
///
/// Bounded by `limit` places; admitting costs a look at each crowd when all places are taken, all else a few steps.
public struct ConnectionPlaces<Crowd: Hashable & Sendable, Client: Hashable & Sendable, Connection: Sendable>: Sendable
{
    /// A connection's place. It stays valid, and does nothing, after the connection has left.
    public struct Place: Hashable, Sendable {
        fileprivate let index: Int
        fileprivate let number: UInt64
    }

    private struct Seat: Sendable {
        /// Tells this use of the seat from later ones; 0: free.
        var number: UInt64 = 0
        var crowd = 0
        var client: Client?
        var connection: Connection?
        /// In the order of use within the crowd; -1 for none.
        var previous = -1
        var next = -1
        var lastUse: UInt64 = 0
        var isBusy = false
    }

    private struct Group: Sendable {
        var key: Crowd?
        var count = 0
        var idlest = -1
        var latest = -1
    }

    /// Places there are, at least 1.
    public let limit: Int
    /// Places of one client, at least 1.
    public let limitPerClient: Int
    private var seats: [Seat] = []
    private var freeSeats: [Int] = []
    private var groups: [Group] = []
    private var freeGroups: [Int] = []
    private var groupOf: [Crowd: Int] = [:]
    private var perClient: [Client: Int] = [:]
    private var clock: UInt64 = 0
    /// Places taken.
    public private(set) var count = 0

    public init(limit: Int, limitPerClient: Int) {
        precondition(limit > 0 && limitPerClient > 0, "there is a place for somebody")
        self.limit = limit
        self.limitPerClient = limitPerClient
    }

    /// Every connection that has a place.
    public var all: [Connection] { seats.compactMap { $0.number == 0 ? nil : $0.connection } }

    /// Gives a connection a place.
    ///
    /// - Returns: its place, and the connection that has lost its own for it, which the caller closes; `nil` when the client
    ///   has its share, or every place is busy.
    public mutating func admit(
        _ connection: Connection, of client: Client, in crowd: Crowd
    ) -> (place: Place, evicted: Connection?)? {
        guard perClient[client, default: 0] < limitPerClient else { return nil }
        var evicted: Connection?
        if count >= limit {
            guard let other = idlestOfMostCrowded(with: crowd) else { return nil }
            evicted = remove(other)
        }
        return (insert(connection, client, crowd), evicted)
    }

    /// Notes that a connection was put to use.
    public mutating func touch(_ place: Place) {
        guard isHeld(place) else { return }
        unlink(place.index)
        link(place.index)
    }

    /// Keeps a place from being taken away while its connection is served, or not any more.
    public mutating func setBusy(_ place: Place, _ isBusy: Bool) {
        guard isHeld(place) else { return }
        seats[place.index].isBusy = isBusy
        touch(place)
    }

    /// The connection is gone. Does nothing when it has lost its place before.
    ///
    /// - Returns: whether it had its place still.
    @discardableResult
    public mutating func leave(_ place: Place) -> Bool {
        guard isHeld(place) else { return false }
        _ = remove(place.index)
        return true
    }

    private func isHeld(_ place: Place) -> Bool { seats[place.index].number == place.number }
}

// MARK: - Who gives way

extension ConnectionPlaces {
    /// The idlest connection of a crowd that is not busy.
    private func idlest(of group: Int) -> Int? {
        var index = groups[group].idlest
        while index >= 0, seats[index].isBusy { index = seats[index].next }
        return index >= 0 ? index : nil
    }

    /// Of crowds that are equally large the one whose idlest connection is idle for longer.
    private func idlestOfMostCrowded(with newcomer: Crowd) -> Int? {
        let own = groupOf[newcomer]
        var found: (size: Int, lastUse: UInt64, seat: Int)?
        for (index, group) in groups.enumerated() where group.count > 0 {
            let size = group.count + (index == own ? 1 : 0)
            guard size >= found?.size ?? 0, let seat = idlest(of: index) else { continue }
            let lastUse = seats[seat].lastUse
            if let found, size == found.size, lastUse > found.lastUse { continue }
            found = (size, lastUse, seat)
        }
        return found?.seat
    }
}

// MARK: - Seats and crowds

extension ConnectionPlaces {
    private mutating func insert(_ connection: Connection, _ client: Client, _ crowd: Crowd) -> Place {
        clock += 1
        let number = clock
        let index = freeSeats.popLast() ?? seats.count
        if index == seats.count { seats.append(Seat()) }
        seats[index] = Seat(number: number, crowd: group(of: crowd), client: client, connection: connection)
        perClient[client, default: 0] += 1
        count += 1
        groups[seats[index].crowd].count += 1
        link(index)
        return Place(index: index, number: number)
    }

    private mutating func remove(_ index: Int) -> Connection? {
        let seat = seats[index]
        unlink(index)
        seats[index] = Seat()
        freeSeats.append(index)
        count -= 1
        if let client = seat.client {
            let left = perClient[client, default: 1] - 1
            perClient[client] = left > 0 ? left : nil
        }
        groups[seat.crowd].count -= 1
        if groups[seat.crowd].count == 0, let key = groups[seat.crowd].key {
            groupOf[key] = nil
            groups[seat.crowd] = Group()
            freeGroups.append(seat.crowd)
        }
        return seat.connection
    }

    private mutating func group(of crowd: Crowd) -> Int {
        if let index = groupOf[crowd] { return index }
        let index = freeGroups.popLast() ?? groups.count
        if index == groups.count { groups.append(Group()) }
        groups[index] = Group(key: crowd)
        groupOf[crowd] = index
        return index
    }

    /// Makes a seat the most recently used of its crowd.
    private mutating func link(_ index: Int) {
        clock += 1
        let crowd = seats[index].crowd
        seats[index].lastUse = clock
        seats[index].previous = groups[crowd].latest
        seats[index].next = -1
        if groups[crowd].latest >= 0 { seats[groups[crowd].latest].next = index } else { groups[crowd].idlest = index }
        groups[crowd].latest = index
    }

    private mutating func unlink(_ index: Int) {
        let (previous, next, crowd) = (seats[index].previous, seats[index].next, seats[index].crowd)
        if previous >= 0 { seats[previous].next = next } else { groups[crowd].idlest = next }
        if next >= 0 { seats[next].previous = previous } else { groups[crowd].latest = previous }
    }
}
