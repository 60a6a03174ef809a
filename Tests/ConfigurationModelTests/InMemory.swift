import ConfigurationModel

/// Declarations built of values alone, as an API or a store would: each value is at the JSON pointer that names it.
enum InMemory {
    static func location(_ pointer: String) -> DocumentLocation {
        guard let pointer = JSONPointer(pointer) else { preconditionFailure("\(pointer) is no JSON pointer") }
        return .pointer(pointer)
    }

    static func value<Value>(_ value: Value, _ pointer: String) -> Declared<Value> {
        Declared(value, at: location(pointer))
    }

    static func list<Element>(_ elements: [Element], _ pointer: String) -> DeclaredList<Element> {
        let declared = elements.enumerated().map { index, element in value(element, "\(pointer)/\(index)") }
        return value(declared, pointer)
    }

    /// The least that is accepted.
    static var base: ConfigurationDeclaration {
        var declaration = ConfigurationDeclaration()
        declaration.listen = list(["192.0.2.53:53"], "/listen")
        declaration.zones = list([zone(0, "example.com", file: "e.zone")], "/zones")
        return declaration
    }

    static func zone(_ index: Int, _ origin: String, file: String) -> ZoneDeclaration {
        var zone = ZoneDeclaration()
        zone.origin = value(origin, "/zones/\(index)/origin")
        zone.file = value(file, "/zones/\(index)/file")
        return zone
    }

    static func node(_ index: Int, _ id: String, _ address: String) -> NodeDeclaration {
        let pointer = "/nodes/\(index)"
        var place = NodeLocationDeclaration()
        place.latitude = value("50.11", "\(pointer)/location/latitude")
        place.longitude = value("8.68", "\(pointer)/location/longitude")
        var node = NodeDeclaration()
        node.id = value(id, "\(pointer)/id")
        node.addresses = list([address], "\(pointer)/addresses")
        node.location = value(place, "\(pointer)/location")
        return node
    }

    static func pool(_ index: Int, _ id: String, nodes: [String]) -> PoolDeclaration {
        let pointer = "/pools/\(index)"
        var pool = PoolDeclaration()
        pool.id = value(id, "\(pointer)/id")
        pool.nodes = list(
            nodes.enumerated().map { position, node in
                var member = PoolMemberDeclaration()
                member.id = value(node, "\(pointer)/nodes/\(position)")
                return member
            }, "\(pointer)/nodes")
        return pool
    }

    static func pool(_ index: Int, _ id: String, pools: [String]) -> PoolDeclaration {
        var pool = PoolDeclaration()
        pool.id = value(id, "/pools/\(index)/id")
        pool.pools = list(pools, "/pools/\(index)/pools")
        return pool
    }

    static func policy(
        _ index: Int, _ id: String, _ change: (inout PolicyDeclaration, String) -> Void = { _, _ in }
    ) -> PolicyDeclaration {
        var policy = PolicyDeclaration()
        policy.id = value(id, "/policies/\(index)/id")
        change(&policy, "/policies/\(index)")
        return policy
    }

    static func tailored(
        _ index: Int, _ name: String, _ pool: String, _ policy: String,
        _ change: (inout TailoredDeclaration, String) -> Void = { _, _ in }
    ) -> TailoredDeclaration {
        let pointer = "/tailored/\(index)"
        var tailored = TailoredDeclaration()
        tailored.name = value(name, "\(pointer)/name")
        tailored.pool = value(pool, "\(pointer)/pool")
        tailored.policy = value(policy, "\(pointer)/policy")
        change(&tailored, pointer)
        return tailored
    }

    static func configuration(_ declaration: ConfigurationDeclaration) throws(ConfigurationError)
        -> ServerConfiguration
    {
        try ServerConfiguration(
            Located(declaration, at: .pointer(JSONPointer())), document: "api", baseFolder: "/etc/nearcast")
    }
}
