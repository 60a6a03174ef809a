import BPFRuntime
import CFastPathABI
import Fixtures
import Glibc
import IPNetworks
import RoundTripMeter
import RoundTrips
import Testing

/// Connections over a real interface, one test at a time.
@Suite("Round-trip meter", .serialized)
@MainActor
struct RoundTripMeterTests {
    /// Addresses of the lab's sides.
    nonisolated static let server4 = IPAddress(NetworkLab.server4)!
    nonisolated static let server6 = IPAddress(NetworkLab.server6)!
    nonisolated static let client4 = IPAddress(NetworkLab.client4)!
    nonisolated static let client6 = IPAddress(NetworkLab.client6)!

    private func meter(of lab: NetworkLab, _ ports: [UInt16], capacity: Int = 1024) throws -> RoundTripMeter {
        let number = try #require(NetworkNamespaceNumber.at(lab.server))
        return try RoundTripMeter(ports: ports, networkNamespace: number, capacity: capacity)
    }

    /// Connections of all cells.
    private func total(_ cells: [RoundTripCell]) -> Int { cells.reduce(0) { $0 + $1.connections } }

    @Test(
        "the round-trip time of a closing socket is counted for the client's network",
        arguments: [
            (IPFamily.v4, client4, server4, IPAddress("192.0.2.0")!),
            // A client of IPv4 at a socket of IPv6: its address is mapped.
            (.v6, client4, server4, IPAddress("192.0.2.0")!),
            (.v6, client6, server6, IPAddress("2001:db8:53::")!),
        ])
    func equalTimes(family: IPFamily, client: IPAddress, server: IPAddress, network: IPAddress) throws {
        let lab = try NetworkLab("rtt")
        let meter = try meter(of: lab, [80, 8443])
        let service = try TCPService(at: lab.server, family: family, port: 8443)
        var expected: [Int: Int] = [:]
        for _ in 0..<20 {
            let time = try service.serve(from: lab.client, client: client, at: server)
            #expect(time > 0)
            expected[Int(nc_rtt_bucket(time)), default: 0] += 1
        }
        let cells = try meter.drain()
        #expect(cells.allSatisfy { $0.network == network }, "\(cells)")
        #expect(Dictionary(uniqueKeysWithValues: cells.map { ($0.bucket, $0.connections) }) == expected)
        #expect(try meter.count() == RoundTripMeter.Counters(counted: 20))
        #expect(try meter.drain().isEmpty, "what was taken away is not there any more")
    }

    @Test("connections to other ports, in other namespaces, and made by the service itself are not counted")
    func filtered() throws {
        let lab = try NetworkLab("rttf")
        let meter = try meter(of: lab, [8443])
        let other = try TCPService(at: lab.server, family: .v4, port: 8444)
        try other.serve(from: lab.client, client: Self.client4, at: Self.server4)
        // The same port, in a namespace that is not this machine's.
        let foreign = try TCPService(at: lab.client, family: .v4, port: 8443)
        try foreign.serve(from: lab.server, client: Self.server4, at: Self.client4)
        #expect(try meter.drain() == [])
        #expect(try meter.count() == RoundTripMeter.Counters())
        let own = try TCPService(at: lab.server, family: .v4, port: 8443)
        try own.serve(from: lab.client, client: Self.client4, at: Self.server4)
        #expect(total(try meter.drain()) == 1)
    }

    @Test("a port without connections, and a refused connection, count nothing")
    func neverEstablished() throws {
        let lab = try NetworkLab("rttn")
        let meter = try meter(of: lab, [8443])
        do {
            let service = try TCPService(at: lab.server, family: .v6, port: 8443)
            #expect(service.port == 8443)
        }
        let gone = try TCPService(at: lab.server, family: .v4, port: 8444)
        #expect(throws: CommandFailure.self) {
            let refused = try TCPService(at: lab.client, family: .v4, port: 8443)
            // Connects to the server's side, which has no listener.
            try refused.serve(from: lab.client, client: Self.client4, at: Self.server4)
        }
        _ = gone
        #expect(try meter.count() == RoundTripMeter.Counters())
    }

    @Test("connections that do not fit the map are counted as lost, and existing cells go on counting")
    func full() throws {
        let lab = try NetworkLab("rtto")
        try lab.addClients(["198.51.100.1", "203.0.113.1"])
        // One cell: the first network's first time takes it.
        let meter = try meter(of: lab, [8443], capacity: 1)
        let service = try TCPService(at: lab.server, family: .v4, port: 8443)
        for client in ["198.51.100.1", "203.0.113.1", "203.0.113.1"] {
            let address = try #require(IPAddress(client))
            try service.serve(from: lab.client, client: address, at: Self.server4)
        }
        #expect(try meter.count() == RoundTripMeter.Counters(counted: 1, lost: 2))
        let cells = try meter.drain()
        #expect(cells.map(\.network) == [try #require(IPAddress("198.51.100.0"))])
        try service.serve(from: lab.client, client: try #require(IPAddress("203.0.113.1")), at: Self.server4)
        #expect(try meter.drain().map(\.network) == [try #require(IPAddress("203.0.113.0"))])
    }

    @Test("thousands of cells are drained without loss")
    func manyCells() throws {
        let map = try BPFMap.create(type: .hash, name: "drained", keySize: 16, valueSize: 8, maxEntries: 10_000)
        for index in 0..<UInt64(9_000) {
            let key = withUnsafeBytes(of: (index, index)) { Array($0) }
            try map.update(key: key, value: withUnsafeBytes(of: index) { Array($0) })
        }
        var seen: Set<UInt64> = []
        try map.drain { key, value in
            let index = key.loadUnaligned(as: UInt64.self)
            #expect(value.loadUnaligned(as: UInt64.self) == index && seen.insert(index).inserted)
        }
        #expect(seen.count == 9_000)
        #expect(try map.keys().isEmpty)
    }

    @Test("the program leaves the kernel with the meter")
    func gone() throws {
        let lab = try NetworkLab("rttg")
        let id: UInt32
        do {
            let meter = try meter(of: lab, [8443])
            id = meter.programID
            #expect(try BPFProgram.open(id: id).name.hasPrefix("rtt_at_close"))
        }
        // The kernel frees it a moment after the last descriptor is closed.
        #expect(eventually { (try? BPFProgram.open(id: id)) == nil })
    }
}
