import CFastPathABI
import IPNetworks
public import Location

/// Round-trip times to one node, by the place of the clients.
///
/// Connections are added to their network's places and then dropped: all that is kept of a place is a histogram. A
/// published time changes only when the median has moved by more than a margin, so that the order of nodes is stable.
public struct LearnedTimes: Sendable {
    /// When a time is published.
    public struct Rules: Sendable, Equatable {
        /// The fewest connections for a median.
        public var minimumConnections: Int
        /// Percent of the published time by which the median must have moved.
        public var marginPercent: Int

        public init(minimumConnections: Int = 20, marginPercent: Int = 20) {
            (self.minimumConnections, self.marginPercent) = (minimumConnections, marginPercent)
        }
    }

    /// A place, for display.
    public struct Row: Sendable, Equatable {
        public let place: String
        /// Weighted by age.
        public let connections: Int
        /// Milliseconds. Nil while there are too few connections.
        public let median: Double?
        /// Milliseconds. Nil while nothing is published.
        public let published: Double?
    }

    /// The smallest move of the median in milliseconds that is published, however short the time: files hold whole
    /// ones.
    public static let marginMilliseconds = 2.0
    /// Connections of one network counted per round: a busy network must not stand for the whole place.
    public static let connectionsPerNetwork = 16
    /// Seconds after which a connection weighs half as much.
    public static let halfLife: Int64 = 3600
    /// Seconds for which a published time stays without a median.
    public static let memory: Int64 = 7 * 86_400
    /// Maximum number of places.
    public static let maximumPlaces = 16_384

    private struct Entry {
        var histogram = RoundTripHistogram()
        var published: Double?
        /// When there last was a median, or when the published time was read.
        var heard: Int64
    }

    private var entries: [String: Entry] = [:]
    private var aged: Int64
    /// Whether something published has expired.
    private var hasForgotten = false
    /// Names of places by number, of the table used last.
    private var names: [Int: [String]] = [:]
    /// Connections whose place has no name, or beyond ``maximumPlaces``.
    public private(set) var unplaced: UInt64 = 0
    public var rules: Rules

    /// - Parameters:
    ///   - published: place → milliseconds, from an earlier run.
    ///   - now: seconds of any steady clock.
    public init(_ rules: Rules, published: [String: Double] = [:], now: Int64) {
        self.rules = rules
        aged = now
        for (place, time) in published.sorted(by: { $0.key < $1.key }).prefix(Self.maximumPlaces) {
            entries[place] = Entry(published: time, heard: now)
        }
    }

    /// The location table has changed: names are looked up again, and only places that are still `isKnown` are kept.
    public mutating func usePlaces(_ isKnown: (String) -> Bool) {
        names = [:]
        for name in entries.keys.filter({ !isKnown($0) }) {
            hasForgotten = hasForgotten || entries[name]?.published != nil
            entries[name] = nil
        }
    }

    /// Adds connections to the places of their networks, each to its country and to its region.
    ///
    /// - Parameter isKnown: whether a latency file may name such a place.
    public mutating func fold(
        _ cells: [RoundTripCell], _ table: LocationTable, _ places: PlaceTable, isKnown: (String) -> Bool, now: Int64
    ) {
        age(now)
        var ofNetwork: [IPAddress: Int] = [:]
        for cell in cells { ofNetwork[cell.network, default: 0] += cell.connections }
        for cell in cells {
            let number = Int(table.find(nc_address(cell.network)).place)
            let all = ofNetwork[cell.network] ?? cell.connections
            let counted = Double(min(all, Self.connectionsPerNetwork)) / Double(all)
            var isPlaced = false
            for name in names(of: number, places, isKnown) {
                guard entries[name] != nil || entries.count < Self.maximumPlaces else { continue }
                isPlaced = true
                entries[name, default: Entry(heard: now)].histogram
                    .add(bucket: cell.bucket, weight: counted * Double(cell.connections))
            }
            if !isPlaced { unplaced += UInt64(cell.connections) }
        }
        for (name, entry) in entries where entry.histogram.connections >= rules.minimumConnections {
            entries[name]?.heard = now
        }
    }

    private mutating func names(of number: Int, _ places: PlaceTable, _ isKnown: (String) -> Bool) -> [String] {
        if let known = names[number] { return known }
        let found = number < places.count ? places[number].latencyNames.filter(isKnown) : []
        // A cache: half a million places need not all stay in it.
        if names.count >= 4 * Self.maximumPlaces { names = [:] }
        names[number] = found
        return found
    }

    private mutating func age(_ now: Int64) {
        let halvings = (now - aged) / Self.halfLife
        guard halvings > 0 else { return }
        aged += halvings * Self.halfLife
        for name in Array(entries.keys) {
            for _ in 0..<min(halvings, 64) { entries[name]?.histogram.halve() }
        }
        drop { $0.histogram.connections == 0 && ($0.published == nil || now - $0.heard > Self.memory) }
    }

    private mutating func drop(_ isDropped: (Entry) -> Bool) {
        for (name, entry) in entries where isDropped(entry) {
            hasForgotten = hasForgotten || entry.published != nil
            entries[name] = nil
        }
    }

    /// Ordered by place.
    public var rows: [Row] {
        entries.map { place, entry in
            Row(
                place: place, connections: entry.histogram.connections, median: median(entry),
                published: entry.published)
        }.sorted { $0.place.utf8.lexicographicallyPrecedes($1.place.utf8) }
    }

    private func median(_ entry: Entry) -> Double? {
        entry.histogram.connections >= rules.minimumConnections ? entry.histogram.median : nil
    }

    /// Whether publishing would change times or places.
    public var isDue: Bool { hasForgotten || entries.values.contains(where: isOutdated) }

    private func isOutdated(_ entry: Entry) -> Bool {
        guard let median = median(entry) else { return false }
        guard let published = entry.published else { return true }
        return abs(median - published) > max(Self.marginMilliseconds, published * Double(rules.marginPercent) / 100)
    }

    /// Publishes times that have moved by more than the margin. The rest stays.
    ///
    /// - Returns: place → milliseconds, rounded to tenths.
    public mutating func publish() -> [String: Double] {
        hasForgotten = false
        for (place, entry) in entries where isOutdated(entry) {
            let median = median(entry)
            entries[place]?.published = median.map { ($0 * 10).rounded() / 10 }
        }
        return entries.compactMapValues(\.published)
    }
}
