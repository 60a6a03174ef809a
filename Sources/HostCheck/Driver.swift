/// What is known of a network driver and XDP. `docs/operations.md` has a section for each.
struct Driver: Sendable {
    enum Support: Sendable {
        case native
        /// The driver has it, and needs something for it.
        case conditional(String)
        case none
    }

    let name: String
    let support: Support
    /// The longest MTU with which a program of one buffer a packet attaches; nil: not known.
    let longestMTU: Int?
    /// Queues in use must be at most half of those there are.
    var needsHalfOfChannels = false
    /// What else an operator should know.
    var remark: String?

    /// By the name that `ethtool -i` shows.
    static func known(_ name: String) -> Driver? { all.first { $0.name == name } }

    private static let all = [
        Driver(
            name: "mlx5_core", support: .native, longestMTU: 3_498,
            remark: "watch rx_xdp_tx_full in `ethtool -S`: replies that found no room in the queue"),
        Driver(
            name: "ice", support: .native, longestMTU: 3_046, remark: "at most 127 channels leave room for XDP's own"),
        Driver(name: "i40e", support: .native, longestMTU: 3_046),
        Driver(
            name: "ixgbe", support: .native, longestMTU: 3_046,
            remark: "each processor needs a queue of its own for replies: at most 64 are there"),
        Driver(name: "ena", support: .native, longestMTU: 3_498, needsHalfOfChannels: true),
        Driver(
            name: "gve", support: .native, longestMTU: 2_032,
            remark:
                "the driver of Google's own repository leaves no room before the frame: replies that do not fit behind "
                + "it are user space's"),
        Driver(
            name: "virtio_net",
            support: .conditional("the hypervisor must let checksum and segmentation offloads be switched off"),
            longestMTU: 3_506, remark: "with fewer queue pairs than twice the processors replies wait for a lock"),
        Driver(
            name: "veth",
            support: .conditional("the peer must run an XDP program too, and leave transmit checksums to software"),
            longestMTU: 3_506),
        Driver(name: "loopback", support: .none, longestMTU: nil),
        Driver(name: "bridge", support: .none, longestMTU: nil),
        Driver(name: "bonding", support: .conditional("every interface of the bond must have it"), longestMTU: nil),
        Driver(name: "e1000e", support: .none, longestMTU: nil),
        Driver(name: "r8169", support: .none, longestMTU: nil),
    ]
}
