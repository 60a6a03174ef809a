/// Which names of the tables to list.
public struct InspectNamesRequest: Codable, Equatable, Sendable {
    /// Only this name and those below it.
    public var under: String?
    /// The most names that are listed, 1…10,000.
    public var limit: Int

    public init(under: String? = nil, limit: Int) {
        self.under = under
        self.limit = limit
    }
}

/// The tailored names. The addresses of a name are one entry, and each other type is one.
public struct NamesReport: Codable, Equatable, Sendable {
    /// Entries, listed or not.
    public var total: Int
    /// In canonical order (RFC 4034, section 6.1).
    public var names: [NameReport]

    public init(total: Int, names: [NameReport]) {
        self.total = total
        self.names = names
    }
}

/// A tailored name with its addresses, or with its records of another type.
public struct NameReport: Codable, Equatable, Sendable {
    public var name: String
    /// Origin of its zone.
    public var zone: String
    /// `tailored`.
    public var kind: String
    /// The types that are tailored: `A` and `AAAA`, or another one.
    public var types: [String]
    /// Of a tailored name.
    public var pool: String?
    /// Of a tailored name.
    public var policy: String?
    /// `nil`: the answer is the same for every client, as that of SRV.
    public var steeringTable: UInt32?
    /// The name's steering hash in hexadecimal.
    public var hash: String

    public init(
        name: String, zone: String, kind: String, types: [String], pool: String? = nil, policy: String? = nil,
        steeringTable: UInt32? = nil, hash: String
    ) {
        self.name = name
        self.zone = zone
        self.kind = kind
        self.types = types
        self.pool = pool
        self.policy = policy
        self.steeringTable = steeringTable
        self.hash = hash
    }
}

/// The entry of the location table for a prefix.
public struct LocationReport: Codable, Equatable, Sendable {
    /// As asked.
    public var prefix: String
    /// The prefix that decides.
    public var leaf: String
    /// Its length, as replies carry it.
    public var scope: Int
    /// Index of the location.
    public var location: UInt32
    public var place: ClientPlace
    /// The candidate list of the location in every steering table, as text.
    public var steps: [String]

    public init(prefix: String, leaf: String, scope: Int, location: UInt32, place: ClientPlace, steps: [String]) {
        self.prefix = prefix
        self.leaf = leaf
        self.scope = scope
        self.location = location
        self.place = place
        self.steps = steps
    }
}

/// The node words as packets read them.
public struct NodeTableReport: Codable, Equatable, Sendable {
    public var generation: UInt32
    /// Ordered by slot.
    public var nodes: [NodeWordReport]

    public init(generation: UInt32, nodes: [NodeWordReport]) {
        self.generation = generation
        self.nodes = nodes
    }
}

/// One node word.
public struct NodeWordReport: Codable, Equatable, Sendable {
    public var slot: UInt32
    /// Absent for a free slot.
    public var node: String?
    /// The 8 bytes in hexadecimal.
    public var word: String
    public var state: NodeState
    /// 0…256.
    public var share: Int
    /// Seconds.
    public var ttl: UInt32
    public var version: UInt32
    /// The answers that the word is for: `IPv4`, `IPv6`, or `any` for those without an address; absent: all alike.
    public var family: String?

    public init(
        slot: UInt32, node: String? = nil, word: String, state: NodeState, share: Int, ttl: UInt32, version: UInt32,
        family: String? = nil
    ) {
        self.slot = slot
        self.node = node
        self.word = word
        self.state = state
        self.share = share
        self.ttl = ttl
        self.version = version
        self.family = family
    }
}

/// Packets by verdict since the start, for each path.
public struct CountersReport: Codable, Equatable, Sendable {
    public var fastPath: [String: UInt64]
    public var slowPath: [String: UInt64]

    public init(fastPath: [String: UInt64], slowPath: [String: UInt64]) {
        self.fastPath = fastPath
        self.slowPath = slowPath
    }
}

/// Where the program is after `nearcast attach`.
public struct AttachReport: Codable, Equatable, Sendable {
    /// One for each configured interface, in that order.
    public var interfaces: [InterfaceReport]

    public init(interfaces: [InterfaceReport]) { self.interfaces = interfaces }

    /// Whether the program is on no interface.
    public var isNowhere: Bool { interfaces.allSatisfy { $0.mode == .off } }
}

/// What `nearcast detach` removed.
public struct DetachReport: Codable, Equatable, Sendable {
    public var interfaces: [String]
    /// Paths that were pinned.
    public var removed: [String]

    public init(interfaces: [String], removed: [String]) {
        self.interfaces = interfaces
        self.removed = removed
    }
}
