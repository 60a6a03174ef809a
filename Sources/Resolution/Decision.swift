public import CFastPathABI
public import DNSWire
public import IPNetworks
import Location
public import Steering

/// The address that decides for a client, and its location.
public struct ClientLocation: Sendable {
    /// Whether the client subnet decided, rather than the sender's address.
    public let isBySubnet: Bool
    /// Number in the model's place table; 0 is unknown.
    public let place: Int
    /// Depth of the location table's leaf.
    public let scope: Int
    public let leaf: nc_address

    public init(isBySubnet: Bool, place: Int, scope: Int, leaf: nc_address) {
        (self.isBySubnet, self.place, self.scope, self.leaf) = (isBySubnet, place, scope, leaf)
    }

    /// Scope of a reply that depends on the location: the leaf's depth if the client subnet decided, else 0.
    public var replyScope: UInt8 { isBySubnet ? UInt8(scope) : 0 }
}

/// The whole decision for one query on a tailored name.
public struct Decision: Sendable {
    public let client: ClientLocation
    /// Number of the sender's view, if a view decided.
    public let view: Int?
    public let chain: SteeringChain
    public let chosen: ChainSelection
    /// In answer order; empty if the client gets REFUSED.
    public let addresses: [IPAddress]

    public var selection: Selection { chosen.selection }
    /// The table that chose, or the chain's first one if none did.
    public var table: Int { chain.steps[chosen.step ?? 0].table }
    /// Scope for the reply.
    public var replyScope: UInt8 { client.replyScope }
}

extension ServingModel {
    /// Locates a client. A client subnet decides if its source length is above 0 and the rule uses ECS. It is used up
    /// to the scope cap of its family.
    public func locate(client: IPAddress, subnet: ClientSubnet?, rule: nc_rule) -> ClientLocation {
        var address = nc_address(client)
        var isBySubnet = false
        if let subnet, subnet.sourceLength > 0, rule.ecs != 0 {
            isBySubnet = true
            address = nc_address(subnet.address)
            address = nc_address_mask(address, nc_scope_cap(address))
        }
        let found = location.find(address)
        return ClientLocation(
            isBySubnet: isBySubnet, place: Int(found.place), scope: Int(found.scope),
            leaf: nc_address_mask(address, found.scope))
    }

    /// Decides a tailored name for a client; nil when no node of its pool has an address of the family.
    ///
    /// - Parameter nameHash: the steering hash of the query's name, if the tailored name is a wildcard.
    public func decide(
        _ index: Int, family: IPFamily, client: IPAddress, subnet: ClientSubnet?, nameHash: UInt64? = nil,
        words: NodeWords
    ) -> Decision? {
        let name = tailored[index]
        let view = view(of: client, among: name.views)
        let choice = view.flatMap { name.views[$0] } ?? name.choice
        guard let chain = choice.chain(family) else { return nil }
        let place = locate(client: client, subnet: subnet, rule: choice.rule)
        let chosen = select(chain, place, choice.rule, nameHash: nameHash ?? name.steeringHash, words)
        return Decision(
            client: place, view: view, chain: chain, chosen: chosen, addresses: addresses(chain, chosen, family))
    }

    /// Number of the sender's view, if the name has a choice for it. A client subnet never selects a view.
    public func view<Choice>(of client: IPAddress, among choices: [Int: Choice]) -> Int? {
        guard !choices.isEmpty, let number = views.number(of: client), choices[number] != nil else { return nil }
        return number
    }

    /// Chooses nodes of a table for a client.
    func select(
        _ table: Int, _ place: ClientLocation, _ rule: nc_rule, nameHash: UInt64, _ words: NodeWords
    ) -> Selection {
        steering.select(
            table: table, place: place.place, client: nc_client(leaf: place.leaf, name_hash: nameHash), rule: rule,
            words: words)
    }
}
