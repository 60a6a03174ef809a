public import CFastPathABI
public import IPNetworks

/// Connections of one network whose round-trip times are in one bucket.
public struct RoundTripCell: Hashable, Sendable {
    /// The first address of the clients' /24 or /48.
    public let network: IPAddress
    /// Numbered by `nc_rtt_bucket`.
    public let bucket: Int
    public let connections: Int

    public init(network: IPAddress, bucket: Int, connections: Int) {
        (self.network, self.bucket, self.connections) = (network, bucket, connections)
    }

    /// Nil when the kernel's cell does not have this layout.
    public init?(_ key: nc_rtt_key, connections: UInt64) {
        guard key.bucket < NC_RTT_BUCKETS else { return nil }
        switch Int32(key.family) {
        case NC_FAMILY_V4: network = .v4(UInt32(truncatingIfNeeded: key.network >> 32))
        case NC_FAMILY_V6: network = .v6(UInt128(key.network) << 64)
        default: return nil
        }
        bucket = Int(key.bucket)
        self.connections = Int(clamping: connections)
    }
}
