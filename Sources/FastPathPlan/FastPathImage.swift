public import CFastPathABI
import DNSWire
public import IPNetworks
import Location
public import Resolution
import Steering

/// Everything that the fast path reads of one model, as bytes in the layouts of `bpf/abi/`.
///
/// Pure: the same model, services and secret give the same bytes.
public struct FastPathImage: Sendable {
    /// The value in the `generations` map: small and of fixed size.
    public let generation: nc_generation
    public let nameBuckets: [nc_name_bucket]
    public let nameEntries: [nc_name_entry]
    public let profiles: [nc_profile]
    /// Answers and the directories that list them.
    public let answers: [nc_answer]
    /// Where the negative replies of large zones are, by apex in lower case.
    let zones: [[UInt8]: ZoneCells]
    /// How tailored records are composed.
    let recipes: RecipePlan
    public let nodes: [nc_node]
    /// The protocol options.
    public var speech: ProtocolImage
    /// Its location table, classes and lists are already in the program's layout.
    public let model: ServingModel

    /// Plans `model` for a server at `services`.
    ///
    /// Left to user space: names longer than `NC_NAME_BYTES`, and names of zones with an access list. Names with
    /// answers by view are left to user space for senders in a view's networks, or for all senders if the networks do
    /// not fit.
    ///
    /// - Parameters:
    ///   - secret: keys the name table; drawn at every start.
    ///   - isRead: whether a program will read the image. If false, the names of the zones are skipped because they
    ///     take time; the rest is enough for the image's checks.
    /// - Throws: `FastPathLimit` if a limit of `bpf/abi/limits.h` is exceeded.
    public init(
        _ model: ServingModel, services: [SocketEndpoint], secret: UInt64, speech: ProtocolImage = ProtocolImage(),
        isRead: Bool = true
    ) throws(FastPathLimit) {
        guard services.count <= NC_MAX_SERVICES else {
            throw FastPathLimit(what: "listen addresses", count: services.count, limit: Int(NC_MAX_SERVICES))
        }
        let tailored = TailoredPlan(model)
        var plan = NamePlan(model, tailored)
        if isRead {
            model.forEachStaticName(zone: { plan.enter($0) }, { plan.add($0) })
        }
        plan.addRest()
        var secret = secret
        var isPlaced = plan.place(secret: secret)
        for _ in 0..<64 where !isPlaced {
            secret = nc_mix(secret &+ 1)
            isPlaced = plan.place(secret: secret)
        }
        guard isPlaced else { throw FastPathLimit(what: "names in one bucket", count: plan.names.count, limit: 8) }
        self.model = model
        self.speech = speech
        profiles = plan.profiles.cells.isEmpty ? [nc_profile()] : plan.profiles.cells
        answers = plan.answers.cells
        zones = plan.zones
        recipes = tailored.recipes
        nameBuckets = plan.names.buckets
        nameEntries = plan.names.entries
        nodes = Self.nodes(model.steering)
        generation = Self.generation(model, services, tailored.networks, secret: secret, mask: plan.names.mask)
    }

    /// Zones whose names share negative replies, by apex in lower case.
    public var sharingZones: Set<[UInt8]> { Set(zones.keys) }

    /// Calls `body` with every table: the name of its map, the size of a cell, and the bytes of the cells.
    public func forEachTable(
        _ body: (_ table: String, _ cell: Int, _ bytes: UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        try body("locations", MemoryLayout<nc_location_words>.stride, model.location.bytes)
        try nameBuckets.withUnsafeBytes { try body("name_buckets", MemoryLayout<nc_name_bucket>.stride, $0) }
        try nameEntries.withUnsafeBytes { try body("name_entries", MemoryLayout<nc_name_entry>.stride, $0) }
        try profiles.withUnsafeBytes { try body("profiles", MemoryLayout<nc_profile>.stride, $0) }
        try answers.withUnsafeBytes { try body("answers", MemoryLayout<nc_answer>.stride, $0) }
        try body("place_classes", MemoryLayout<nc_class_cell>.stride, model.steering.classes.bytes)
        try body("lists", MemoryLayout<nc_list>.stride, model.steering.lists.bytes)
        try nodes.withUnsafeBytes { try body("nodes", MemoryLayout<nc_node>.stride, $0) }
    }

    /// Addresses by slot, in network order.
    private static func nodes(_ steering: SteeringTables) -> [nc_node] {
        var nodes = [nc_node](repeating: nc_node(), count: (steering.nodes.map(\.slot).max() ?? 0) + 1)
        for node in steering.nodes {
            if let v4 = node.address(.v4) {
                withUnsafeMutableBytes(of: &nodes[node.slot].v4) { $0.copyBytes(from: v4.bytes) }
            }
            if let v6 = node.address(.v6) {
                withUnsafeMutableBytes(of: &nodes[node.slot].v6) { $0.copyBytes(from: v6.bytes) }
            }
        }
        return nodes
    }

    private static func generation(
        _ model: ServingModel, _ services: [SocketEndpoint], _ networks: ViewNetworks, secret: UInt64, mask: UInt32
    ) -> nc_generation {
        var generation = nc_generation()
        generation.epoch = model.epoch
        generation.digest = model.digest
        generation.name_secret = secret
        generation.bucket_mask = mask
        generation.services = UInt32(services.count)
        withUnsafeMutableBytes(of: &generation.service) { bytes in
            for (index, service) in services.enumerated() {
                let offset = index * MemoryLayout<nc_service>.stride
                UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<offset + 16])
                    .copyBytes(from: service.address.mapped.bytes)
                bytes.storeBytes(of: service.port.bigEndian, toByteOffset: offset + 16, as: UInt16.self)
            }
        }
        networks.write(to: &generation)
        return generation
    }
}

/// A limit of the fast path that a model exceeds.
public struct FastPathLimit: Error, Hashable, Sendable, CustomStringConvertible {
    public let what: String
    public let count: Int
    public let limit: Int

    public init(what: String, count: Int, limit: Int) {
        self.what = what
        self.count = count
        self.limit = limit
    }

    public var description: String { "the fast path takes \(limit) \(what), there are \(count)" }
}
