import BPFRuntime
import CFastPathABI
import RoundTripObject
public import RoundTrips

/// Counts round-trip times of connections to this machine's services in the kernel, for as long as it lives.
///
/// The program runs at the tracepoint `inet_sock_set_state`, where it reads and cannot change anything. The kernel
/// detaches it when the process ends, in whatever way. Needs CAP_BPF, CAP_PERFMON, and a kernel with BTF.
public struct RoundTripMeter: Sendable {
    /// Outcomes of connections to the ports since the start.
    public struct Counters: Sendable, Equatable {
        /// Counted with their times.
        public var counted: UInt64 = 0
        /// Closed before a time was known.
        public var unmeasured: UInt64 = 0
        /// Not counted: the map was full.
        public var lost: UInt64 = 0

        public init(counted: UInt64 = 0, unmeasured: UInt64 = 0, lost: UInt64 = 0) {
            (self.counted, self.unmeasured, self.lost) = (counted, unmeasured, lost)
        }
    }

    /// Its name in `bpftool prog`.
    public let programID: UInt32
    private let link: TracingLink
    private let cells: BPFMap
    private let counters: BPFMap

    /// Loads the program and attaches it.
    ///
    /// - Parameters:
    ///   - ports: the services' ports, at most `NC_RTT_PORTS`.
    ///   - networkNamespace: number of the services' network namespace (`NetworkNamespaceNumber`).
    ///   - capacity: networks times time buckets between two calls of ``drain()``. Nil: `NC_RTT_CELLS`.
    /// - Throws: `SystemError` when the kernel refuses it.
    public init(ports: [UInt16], networkNamespace: UInt32, capacity: Int? = nil) throws {
        let object = try BPFObject(bytes: RoundTripObject.bytes, name: "nearcast_rtt")
        if let capacity { try object.setMaxEntries(map: "rtt_cells", UInt32(capacity)) }
        try object.load()
        var settings = nc_rtt_settings()
        settings.network_namespace = networkNamespace
        settings.ports = UInt32(min(ports.count, Int(NC_RTT_PORTS)))
        withUnsafeMutableBytes(of: &settings.port) { bytes in
            for (index, port) in ports.prefix(Int(NC_RTT_PORTS)).enumerated() {
                bytes.storeBytes(of: port, toByteOffset: 2 * index, as: UInt16.self)
            }
        }
        try object.map("rtt_settings").update(index: 0, value: withUnsafeBytes(of: settings) { Array($0) })
        cells = try object.map("rtt_cells")
        counters = try object.map("rtt_counters")
        let program = try object.program("rtt_at_close")
        programID = program.id
        link = try TracingLink.attach(program)
    }

    /// Removes the counts since the last call from the kernel and returns them, in no order.
    public func drain() throws -> [RoundTripCell] {
        var drained: [RoundTripCell] = []
        try cells.drain { key, value in
            let cell = RoundTripCell(
                key.loadUnaligned(as: nc_rtt_key.self), connections: value.loadUnaligned(as: UInt64.self))
            if let cell { drained.append(cell) }
        }
        return drained
    }

    public func count() throws -> Counters {
        func sum(_ counter: nc_rtt_counter) throws -> UInt64 {
            try counters.lookupPerCPU(index: counter.rawValue)
                .reduce(0) { $0 + $1.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) } }
        }
        return Counters(
            counted: try sum(NC_RTT_COUNTED), unmeasured: try sum(NC_RTT_UNMEASURED), lost: try sum(NC_RTT_LOST))
    }
}
