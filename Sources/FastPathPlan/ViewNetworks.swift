import CFastPathABI
import IPNetworks
import Resolution

/// The networks of views that some name depends on, in the form in which the program compares them.
struct ViewNetworks: Sendable {
    /// Disjoint: no network contains another.
    private let networks: [IPPrefix]

    /// Only views that change some name's answers.
    init(_ model: ServingModel) {
        let used = Set(model.tailored.flatMap(\.views.keys) + model.tailoredRecords.flatMap(\.views.keys))
        let all = model.views.views.indices.filter(used.contains).flatMap { model.views.views[$0].clients }
        // In this order, a network comes after the networks that contain it.
        let sorted = all.sorted { ($0.address, $0.length) < ($1.address, $1.length) }
        var outermost: [IPPrefix] = []
        for network in sorted where outermost.last.map({ !$0.contains(network) }) ?? true { outermost.append(network) }
        networks = outermost
    }

    func contain(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

    var fit: Bool { networks.count <= Int(NC_MAX_VIEW_PREFIXES) }

    func write(to generation: inout nc_generation) {
        guard fit else { return }
        generation.view_prefixes = UInt32(networks.count)
        withUnsafeMutableBytes(of: &generation.view_prefix) { $0.copyBytes(from: networks.flatMap(\.mappedCell)) }
    }
}

extension IPPrefix {
    /// Address and mask, as the program compares them (`bpf/abi/network.h`).
    var mappedCell: [UInt8] {
        let mask = IPAddress.v6(.max).masked(to: length + (family == .v4 ? 96 : 0))
        return address.mapped.bytes + mask.bytes
    }
}

extension IPAddress {
    /// The address with IPv4 as ::ffff:a.b.c.d, which is the only form that the program compares.
    var mapped: IPAddress {
        switch self {
        case .v4(let bits): .v6(UInt128(0xffff) << 32 | UInt128(bits))
        case .v6: self
        }
    }
}
