public import CFastPathABI
public import DNSWire
import Steering

/// A name whose SRV, CNAME, TXT, MX, HTTPS or SVCB records are composed from the nodes of a pool.
public struct TailoredRecords: Sendable {
    public let name: DomainName
    /// For senders in no view, and in views without a choice of their own.
    public let choice: Choice
    /// For senders in other views, by the view's number; the type is the same.
    public let views: [Int: Choice]
    /// Steering hash of the lower-case wire name. Names with equal hash and table choose the same nodes.
    public let steeringHash: UInt64

    /// How the records are chosen for some of the clients.
    public struct Choice: Sendable {
        public let rule: nc_rule
        public let content: Content
        /// As configured, for display.
        public let pool: String
        public let policy: String

        public init(rule: nc_rule, content: Content, pool: String, policy: String) {
            self.rule = rule
            self.content = content
            self.pool = pool
            self.policy = policy
        }
    }

    public enum Content: Sendable {
        /// SRV (RFC 2782): one record per member, ordered by node id (bytewise). Every client gets the records of all
        /// usable nodes; if there are none, those of the fallback pool, which may be empty.
        case services([Service], fallback: [Service])
        /// CNAME to the host of the one node that the chain chooses for the client. The chain's tables contain all
        /// members. `hosts` are uncompressed wire names by slot.
        case alias(SteeringChain, hosts: [Int: [UInt8]])
        /// TXT: the records of the one node that the chain chooses for the client, by slot, in the form that
        /// `MessageWriter.appendRRset` takes. The chain's tables contain all members.
        case texts(SteeringChain, [Int: [UInt8]])
        /// MX: a record for each node that the chain chooses for the client, in order. The first has `preference`, and
        /// each further one `preferenceStep` more. `hosts` are as for an alias.
        case exchanges(SteeringChain, preference: UInt16, hosts: [Int: [UInt8]])
        /// HTTPS or SVCB (RFC 9460), by `type`: the RDATA up to the address hints, which the chains choose. A family
        /// without a chain has no hint.
        case binding(type: RecordType, v4: SteeringChain?, v6: SteeringChain?, prefix: [UInt8])
    }

    /// The record of a node.
    public struct Service: Sendable {
        public let slot: Int
        /// A two-byte length in network order, then the RDATA.
        public let data: [UInt8]

        /// - Parameter host: The SRV target.
        public init(slot: Int, priority: UInt16, weight: UInt16, port: UInt16, host: DomainName) {
            self.slot = slot
            let length = UInt16(6 + host.wire.count)
            data = [length, priority, weight, port].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } + host.wire
        }

        /// The target's wire name.
        package var host: ArraySlice<UInt8> { data.dropFirst(8) }
    }

    public init(name: DomainName, choice: Choice, views: [Int: Choice] = [:]) {
        self.name = name
        self.choice = choice
        self.views = views
        steeringHash = Steering.steeringHash(name.lowercasedWire)
    }

    /// Records that are chosen in the same way for every client.
    public init(name: DomainName, rule: nc_rule, content: Content, pool: String, policy: String) {
        self.init(name: name, choice: Choice(rule: rule, content: content, pool: pool, policy: policy))
    }

    public var rule: nc_rule { choice.rule }
    public var content: Content { choice.content }
    public var pool: String { choice.pool }
    public var policy: String { choice.policy }

    /// The type of the records.
    public var type: RecordType {
        switch content {
        case .services: .srv
        case .alias: .cname
        case .texts: .txt
        case .exchanges: .mx
        case .binding(let type, _, _, _): type
        }
    }

    /// Whether a query for `type` gets these records. RRSIG and NSEC at an alias are data about the alias (RFC 4035,
    /// section 2.5).
    package func decides(_ type: RecordType) -> Bool {
        guard case .alias = content else { return type == self.type }
        return type != .rrsig && type != .nsec
    }

    /// The difference between the preferences of a node's MX record and the next one's.
    public static let preferenceStep = 10

    /// The RDATA of an SVCB or HTTPS record up to the address hints: priority 1, the owner as target, and the
    /// parameters with lower keys (RFC 9460, section 2.2).
    ///
    /// - Parameters:
    ///   - port: Left out if `nil`: clients use the default port of the service (for HTTPS 443, section 9.1).
    ///   - protocols: ALPN ids of 1 to 255 bytes. If there are none, the parameter is left out.
    public static func bindingPrefix(port: UInt16?, protocols: [String]) -> [UInt8] {
        var prefix: [UInt8] = [0, 1, 0]
        func add(_ key: ServiceKey, _ value: [UInt8]) {
            prefix += [key.rawValue, UInt16(value.count)].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } + value
        }
        if !protocols.isEmpty { add(.alpn, protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }) }
        if let port { add(.port, [UInt8(port >> 8), UInt8(port & 255)]) }
        return prefix
    }
}

extension TailoredRecords.Choice {
    /// The RRset of each node, by slot, if the answer is that of one node. It is in the form that
    /// `MessageWriter.appendRRset` takes. `nil` if the answer combines nodes.
    package var byNode: (type: RecordType, chain: SteeringChain, data: [Int: [UInt8]])? {
        switch content {
        case .services, .binding: nil
        case .alias(let chain, let hosts): (.cname, chain, hosts.mapValues { [0, UInt8($0.count)] + $0 })
        case .texts(let chain, let texts): (.txt, chain, texts)
        case .exchanges(let chain, let preference, let hosts):
            rule.answers == 1 ? (.mx, chain, hosts.mapValues { Self.exchange($0, preference) }) : nil
        }
    }

    /// An MX record: its length, then its RDATA.
    static func exchange(_ host: [UInt8], _ preference: UInt16) -> [UInt8] {
        [0, UInt8(2 + host.count), UInt8(preference >> 8), UInt8(preference & 255)] + host
    }
}
