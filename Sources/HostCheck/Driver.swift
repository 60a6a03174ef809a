/// What is known about a network driver's XDP support. `docs/operations.md` has a section for each.
struct Driver: Sendable {
    enum Support: Sendable {
        case native
        /// Supported under a condition.
        case conditional(String)
        case none
    }

    let name: String
    let support: Support
    /// The longest MTU with which a program without multi-buffer support attaches. Nil: not known.
    let longestMTU: Int?
    /// Whether at most half of the queues may be in use.
    var needsHalfOfChannels = false
    /// A further remark for the operator.
    var remark: String?

    /// Drivers by the name that `ethtool -i` shows.
    static func known(_ name: String) -> Driver? { all.first { $0.name == name } }

    private static let all = [
        Driver(
            name: "mlx5_core", support: .native, longestMTU: 3_498,
            remark: "watch rx_xdp_tx_full in `ethtool -S`: replies dropped because the transmit queue was full"),
        Driver(
            name: "ice", support: .native, longestMTU: 3_046,
            remark: "use at most 127 channels, so that XDP gets its own"),
        Driver(name: "i40e", support: .native, longestMTU: 3_046),
        Driver(
            name: "ixgbe", support: .native, longestMTU: 3_046,
            remark: "each CPU needs its own transmit queue, and there are at most 64"),
        Driver(name: "ena", support: .native, longestMTU: 3_498, needsHalfOfChannels: true),
        Driver(
            name: "gve", support: .native, longestMTU: 2_032,
            remark:
                "Google's out-of-tree driver leaves no headroom: replies that do not fit the tailroom are answered "
                + "in user space"),
        Driver(
            name: "virtio_net",
            support: .conditional("the hypervisor must let checksum and segmentation offloads be switched off"),
            longestMTU: 3_506, remark: "with fewer than two queue pairs per CPU, replies wait for a lock"),
        Driver(
            name: "veth",
            support: .conditional("the peer must run an XDP program too, and have transmit checksum offload disabled"),
            longestMTU: 3_506),
        Driver(name: "loopback", support: .none, longestMTU: nil),
        Driver(name: "bridge", support: .none, longestMTU: nil),
        Driver(name: "bonding", support: .conditional("every interface of the bond must support it"), longestMTU: nil),
        Driver(name: "e1000e", support: .none, longestMTU: nil),
        Driver(name: "r8169", support: .none, longestMTU: nil),
    ]
}
