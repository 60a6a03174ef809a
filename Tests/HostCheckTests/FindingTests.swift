import HostCheck
import Testing

/// What is said of a host, by what it has.
@Suite struct FindingTests {
    private func facts(_ driver: String, _ change: (inout InterfaceFacts) -> Void = { _ in }) -> HostFacts {
        var interface = InterfaceFacts(name: "eth0")
        interface.driver = driver
        change(&interface)
        return HostFacts(kernel: "6.12.0", processors: 8, interfaces: [interface])
    }

    private func problems(_ facts: HostFacts) -> [Finding] { facts.findings.filter { $0.level == .problem } }

    @Test(
        "a well-configured network card has no findings",
        arguments: ["mlx5_core", "ice", "i40e", "ixgbe", "ena", "gve"])
    func good(driver: String) {
        let facts = facts(driver) {
            ($0.channels, $0.mostChannels, $0.ring, $0.longestRing) = (8, 16, 4_096, 8_192)
            ($0.mergesInHardware, $0.stripsTags) = (false, false)
        }
        #expect(problems(facts).isEmpty)
        #expect(facts.findings.contains { $0.text == "\(driver) supports native XDP" })
        #expect(facts.findings.allSatisfy { $0.commands.isEmpty })
    }

    @Test(
        "an MTU that the driver does not support with XDP is a problem",
        arguments: [("mlx5_core", 3_498), ("ice", 3_046), ("gve", 2_032), ("ena", 3_498), ("virtio_net", 3_506)])
    func longFrames(driver: String, longest: Int) {
        #expect(problems(facts(driver) { $0.mtu = longest }).isEmpty)
        let found = problems(facts(driver) { $0.mtu = longest + 1 })
        #expect(found.map(\.commands) == [["ip link set dev eth0 mtu 1500"]])
        #expect(found.allSatisfy { $0.subject == "eth0" && $0.text.contains("\(longest)") })
    }

    @Test("the ENA driver needs half of its channels for replies")
    func halfOfChannels() {
        #expect(problems(facts("ena") { ($0.channels, $0.mostChannels) = (4, 8) }).isEmpty)
        let found = problems(facts("ena") { ($0.channels, $0.mostChannels) = (8, 8) })
        #expect(found.map(\.commands) == [["ethtool -L eth0 combined 4"]])
    }

    @Test("fewer channels than processors, short rings and stripped VLAN tags are warnings")
    func advice() {
        let found = facts("ice") {
            ($0.channels, $0.mostChannels, $0.ring, $0.longestRing, $0.stripsTags) = (2, 16, 256, 8_160, true)
        }.findings
        #expect(!found.contains { $0.level == .problem })
        #expect(
            Set(found.flatMap(\.commands)) == [
                "ethtool -L eth0 combined 8", "ethtool -G eth0 rx 4096", "ethtool -K eth0 rxvlan off txvlan off",
            ])
    }

    @Test("replies that the driver could not send are told, and none is not")
    func unsent() {
        for (count, isTold) in [(nil, false), (0, false), (7, true)] as [(UInt64?, Bool)] {
            let findings = facts("ixgbe") { $0.unsentReplies = count }.findings
            #expect(findings.contains { $0.text.contains("could not send 7 replies") } == isTold)
        }
    }

    @Test("packet merging in hardware, and an interface that is down, are problems")
    func refusals() {
        let found = problems(facts("mlx5_core") { ($0.mergesInHardware, $0.isUp) = (true, false) })
        #expect(Set(found.flatMap(\.commands)) == ["ip link set dev eth0 up", "ethtool -K eth0 lro off"])
    }

    @Test("an unknown driver is no problem, and a driver without XDP is reported")
    func drivers() {
        #expect(problems(facts("novel")).isEmpty)
        #expect(facts("novel").findings.contains { $0.text.contains("novel is not in the list of known drivers") })
        #expect(facts("r8169").findings.contains { $0.text.contains("no native XDP") })
    }

    @Test("a host that cannot load programs has a problem, with the remedy if there is one")
    func host() {
        var facts = HostFacts(kernel: "5.15.0", obstacle: "kernel 5.15.0 is older than 6.1", processors: 1)
        #expect(problems(facts).map(\.commands) == [["install a kernel of 6.1 or later"]])
        facts.obstacle = "missing CAP_BPF and CAP_NET_ADMIN"
        #expect(problems(facts).map(\.commands) == [["sudo nearcast doctor"]])
        facts.obstacle = nil
        facts.hasBPFFileSystem = false
        #expect(problems(facts).isEmpty)
        #expect(facts.findings.contains { $0.commands == ["mount -t bpf bpf /sys/fs/bpf"] })
    }

    @Test("the process that holds port 53 is reported, unless it is nearcastd")
    func port() {
        let facts = HostFacts(
            kernel: "6.12.0", processors: 1,
            listeners: [
                Listener(transport: "udp", process: "systemd-resolve (812)"),
                Listener(transport: "tcp", process: "nearcastd (99)"), Listener(transport: "tcp6", process: nil),
            ])
        let found = facts.findings.filter { $0.text.hasPrefix("port 53") }
        #expect(found.map(\.text).allSatisfy { !$0.contains("nearcastd") } && found.count == 2)
        #expect(found.contains { $0.commands == ["set DNSStubListener=no in /etc/systemd/resolved.conf"] })
    }

    @Test("on this host loopback has no native XDP, and a missing interface is a problem")
    func here() throws {
        let facts = HostFacts.here(interfaces: ["lo", "nowhere0"])
        #expect(facts.interfaces.map(\.exists) == [true, false])
        #expect(facts.interfaces[0].driver == "loopback" && facts.interfaces[0].mtu >= 1_500)
        #expect(facts.processors > 0 && facts.kernel.contains("."))
        let missing = try #require(facts.findings.first { $0.subject == "nowhere0" })
        #expect(missing.level == .problem && missing.text.hasPrefix("there is no such interface on this host"))
        #expect(facts.findings.contains { $0.subject == "lo" && $0.text.contains("no native XDP") })
    }
}
