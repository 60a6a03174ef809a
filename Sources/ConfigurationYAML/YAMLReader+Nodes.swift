import ConfigurationModel
import Yams

/// `nodes`, `pools` and `regions`.
extension YAMLReader {
    mutating func node(_ fields: Fields) -> NodeDeclaration {
        var declaration = NodeDeclaration()
        declaration.id = identifier(.nodes, in: fields)
        declaration.addresses = texts("addresses", in: fields, .addresses, Expected.address)
        declaration.overlay = texts("overlay", in: fields, .overlay, Expected.address)
        declaration.hostname = text("hostname", in: fields, Expected.domainName)
        declaration.provider = text("provider", in: fields, Expected.domainName)
        declaration.texts = texts("texts", in: fields, .texts, Expected.nodeText)
        declaration.location = mapping("location", in: fields, known: NodeLocationDeclaration.keys) {
            $0.location($1)
        }
        declaration.capacity = integer("capacity", in: fields, .nodeCapacity)
        declaration.health = switchable("health", in: fields, known: HealthDeclaration.keys) { $0.health($1) }
        return declaration
    }

    private mutating func location(_ fields: Fields) -> NodeLocationDeclaration {
        var declaration = NodeLocationDeclaration()
        declaration.latitude = decimal("latitude", in: fields, Expected.degrees(upTo: 90))
        declaration.longitude = decimal("longitude", in: fields, Expected.degrees(upTo: 180))
        declaration.country = text("country", in: fields, Expected.country)
        declaration.region = text("region", in: fields, Expected.region)
        declaration.continent = text("continent", in: fields, Expected.continent)
        return declaration
    }

    mutating func pool(_ fields: Fields) -> PoolDeclaration {
        var declaration = PoolDeclaration()
        declaration.id = identifier(.pools, in: fields)
        declaration.nodes = list("nodes", in: fields, .members) { reader, node, _ in
            reader.member(node, of: fields.subject)
        }
        declaration.pools = references("pools", in: fields, .innerPools, to: .pools)
        declaration.minimum = integer("minimum", in: fields, .minimum)
        declaration.health = switchable("health", in: fields, known: HealthDeclaration.keys) { $0.health($1) }
        return declaration
    }

    /// Reads `fra1` or `{id: fra1, weight: 10}`.
    private mutating func member(_ node: Node, of pool: Subject) -> PoolMemberDeclaration? {
        var declaration = PoolMemberDeclaration()
        guard node.mapping != nil else {
            let expected = Expected.reference(to: .nodes)
            guard let id = text(node, name: "node of \(pool.owner)", expected) else { return nil }
            declaration.id = Declared(id, at: location(node))
            return declaration
        }
        let id = node.mapping?.first { $0.key.scalar?.string == "id" }?.value.scalar?.string
        let subject = pool.member(id)
        guard let fields = fields(node, name: subject.owner, subject, known: PoolMemberDeclaration.keys)
        else { return nil }
        declaration.id = reference("id", in: fields, to: .nodes, owner: pool.owner)
        declaration.weight = integer("weight", in: fields, .weight)
        declaration.capacity = integer("capacity", in: fields, .memberCapacity)
        declaration.bias = integer("bias", in: fields, .bias)
        return declaration
    }

    mutating func region(_ fields: Fields) -> RegionDeclaration {
        var declaration = RegionDeclaration()
        declaration.id = identifier(.regions, in: fields)
        declaration.nodes = references("nodes", in: fields, .regionNodes, to: .nodes)
        declaration.threshold = integer("threshold", in: fields, .threshold)
        return declaration
    }
}
