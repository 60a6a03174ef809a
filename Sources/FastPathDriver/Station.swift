public import BPFRuntime
import CFastPathABI

/// What the program knows of this host's addresses (`bpf/abi/station.h`).
///
/// Written while packets read it, one word at a time. An entry's index is cleared before its address changes, and the
/// filter switches the list of own addresses off meanwhile. For those microseconds a frame that should be declined may
/// be answered.
final class Station {
    private let memory: MappedMap
    private var interfaces: [(index: UInt64, address: UInt64)] = []
    private var addresses: [[UInt8]] = []

    init(_ memory: MappedMap) { self.memory = memory }

    /// - Parameters:
    ///   - links: link addresses (6 bytes) by index, of interfaces that the program runs on. Interfaces beyond
    ///     `NC_MAX_INTERFACES` take every frame.
    ///   - addresses: own and broadcast addresses, 16 bytes each. Addresses beyond `NC_MAX_OWN` are ignored.
    func write(links: [UInt32: [UInt8]], addresses: [[UInt8]]) {
        write(
            links.sorted { $0.key < $1.key }.prefix(Int(NC_MAX_INTERFACES)).map {
                (UInt64($0.key), Self.word(($0.value + [0, 0])[...]))
            })
        write(Array(addresses.prefix(Int(NC_MAX_OWN))))
    }

    private func write(_ interfaces: [(index: UInt64, address: UInt64)]) {
        for place in 0..<Int(NC_MAX_INTERFACES) {
            let none: (index: UInt64, address: UInt64) = (0, 0)
            let wanted = place < interfaces.count ? interfaces[place] : none
            let written = place < self.interfaces.count ? self.interfaces[place] : none
            guard wanted != written else { continue }
            if wanted.index != written.index { memory.storeWord(at: 2 * place, 0) }
            memory.storeWord(at: 2 * place + 1, wanted.address)
            memory.storeWord(at: 2 * place, wanted.index)
        }
        self.interfaces = interfaces
    }

    private func write(_ addresses: [[UInt8]]) {
        guard addresses != self.addresses else { return }
        let filter = 2 * Int(NC_MAX_INTERFACES)
        memory.storeWord(at: filter, 0)
        var bits: UInt64 = 0
        for (place, bytes) in addresses.enumerated() {
            let (high, low) = (Self.word(bytes[..<8]), Self.word(bytes[8...]))
            memory.storeWord(at: filter + 2 + 2 * place, high)
            memory.storeWord(at: filter + 3 + 2 * place, low)
            bits |= nc_own_bit(high, low)
        }
        memory.storeWord(at: filter + 1, UInt64(addresses.count))
        memory.storeWord(at: filter, bits)
        self.addresses = addresses
    }

    /// Eight bytes in memory order.
    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    }
}

extension FastPathMaps {
    /// Writes the host's current addresses, by which the program decides which frames are for the host and which
    /// senders are the host itself. Call it again when they may have changed.
    ///
    /// - Parameters:
    ///   - interfaces: names of the interfaces that the program runs on. A missing interface takes every frame.
    ///   - addresses: addresses of the interfaces' network namespace.
    public func setStation(of interfaces: [String], _ addresses: HostAddresses) {
        let indices = Set(interfaces.compactMap { NetworkInterface($0)?.index })
        setStation(links: addresses.links.filter { indices.contains($0.key) }, addresses: addresses.addresses)
    }

    /// The same, for arbitrary addresses: link addresses by interface index, and IP addresses of 16 bytes.
    public func setStation(links: [UInt32: [UInt8]], addresses: [[UInt8]]) {
        station.write(links: links, addresses: addresses)
    }
}
