import BPFRuntime
import CLinux
import Glibc
import LinuxSupport

extension HostFacts {
    /// The facts of this host, network namespace and process. Changes nothing.
    ///
    /// - Parameter interfaces: names of interfaces. Empty: all but loopback.
    public static func here(interfaces names: [String]) -> HostFacts {
        HostFacts(
            kernel: release, obstacle: BPFSupport.probe().map { "\($0)" },
            hasBPFFileSystem: BPFFileSystem.isBPF(BPFFileSystem.root), processors: Processors.usable,
            listeners: PortHolders.ofPort53(),
            interfaces: (names.isEmpty ? allInterfaces.filter { $0 != "lo" } : names).map(InterfaceFacts.here))
    }

    private static var release: String {
        var system = utsname()
        guard uname(&system) == 0 else { return "of unknown release" }
        return withUnsafeBytes(of: system.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static var allInterfaces: [String] {
        guard let list = if_nameindex() else { return [] }
        defer { if_freenameindex(list) }
        var names: [String] = []
        var next = list
        while let name = next.pointee.if_name {
            names.append(String(cString: name))
            next += 1
        }
        return names
    }
}

extension InterfaceFacts {
    static func here(_ name: String) -> InterfaceFacts {
        var facts = InterfaceFacts(name: name)
        var found = linux_interface()
        guard linux_interface_describe(name, &found) == 0 else {
            facts.exists = false
            return facts
        }
        func count(_ value: CInt) -> Int? { value > 0 ? Int(value) : nil }
        func flag(_ value: CInt) -> Bool? { value < 0 ? nil : value != 0 }
        facts.driver = withUnsafeBytes(of: found.driver) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if facts.driver.isEmpty, name == "lo" { facts.driver = "loopback" }
        facts.isUp = found.up == 1
        facts.mtu = Int(found.mtu)
        facts.channels = count(found.channels)
        facts.mostChannels = count(found.most_channels)
        facts.ring = count(found.ring)
        facts.longestRing = count(found.longest_ring)
        facts.mergesInHardware = flag(found.lro)
        facts.mergesInSoftware = flag(found.gro)
        facts.stripsTags = flag(found.strips_tags)
        facts.insertsTags = flag(found.inserts_tags)
        facts.mode =
            switch NetworkInterface(name)?.xdpMode {
            case .native: .native
            case .generic: .generic
            case nil: nil
            }
        facts.unsentReplies = NetworkInterface(name)?.unsentReplies
        return facts
    }
}
