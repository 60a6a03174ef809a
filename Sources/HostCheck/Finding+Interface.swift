extension InterfaceFacts {
    func findings(processors: Int) -> [Finding] {
        guard exists else {
            return [
                Finding(
                    name, .problem, "there is no such interface on this host: correct fast_path.interfaces",
                    ["ip -brief link"])
            ]
        }
        var findings = [supportFinding]
        let driver = Driver.known(driver)
        if !isUp { findings.append(Finding(name, .problem, "the interface is down", ["ip link set dev \(name) up"])) }
        findings += mtuFinding(driver) + channelFindings(driver, processors) + offloadFindings
        if let ring, let longestRing, ring < min(longestRing, 1_024) {
            findings.append(
                Finding(
                    name, .advice,
                    "its receive rings have \(ring) of \(longestRing) possible slots: bursts may overflow them",
                    ["ethtool -G \(name) rx \(min(longestRing, 4_096))"]))
        }
        if let unsentReplies, unsentReplies > 0 {
            findings.append(
                Finding(
                    name, .advice,
                    "the driver could not send \(unsentReplies) replies of XDP programs since it was loaded; nearcast status "
                        + "shows those of the last minute",
                    ["ethtool -S \(name) | grep xdp"]))
        }
        if let remark = driver?.remark { findings.append(Finding(name, .advice, remark)) }
        return findings
    }

    private var supportFinding: Finding {
        let driver = driver.isEmpty ? "an unnamed driver" : driver
        switch mode {
        case .native: return Finding(name, .good, "\(driver): an XDP program is attached in native mode")
        case .generic:
            return Finding(
                name, .advice, "\(driver): an XDP program is attached in generic mode, several times slower than native"
            )
        case nil: break
        }
        switch Driver.known(driver)?.support {
        case .native: return Finding(name, .good, "\(driver) supports native XDP")
        case .conditional(let condition):
            return Finding(name, .advice, "\(driver) supports native XDP: \(condition)")
        case .none?:
            return Finding(
                name, .advice, "\(driver) has no native XDP: mode auto or generic works, several times slower")
        case nil:
            return Finding(
                name, .advice,
                "\(driver) is not in the list of known drivers: mode auto tries native first and reports the result")
        }
    }

    private func mtuFinding(_ driver: Driver?) -> [Finding] {
        guard let longest = driver?.longestMTU else { return [] }
        guard mtu > longest else { return [Finding(name, .good, "MTU \(mtu), of at most \(longest) with XDP")] }
        return [
            Finding(
                name, .problem, "MTU \(mtu) is above \(longest), the driver's maximum with XDP",
                ["ip link set dev \(name) mtu 1500"])
        ]
    }

    private func channelFindings(_ driver: Driver?, _ processors: Int) -> [Finding] {
        guard let channels, let mostChannels, mostChannels > 0 else { return [] }
        if driver?.needsHalfOfChannels == true, channels > mostChannels / 2 {
            return [
                Finding(
                    name, .problem,
                    "\(channels) of \(mostChannels) channels are in use: XDP replies need as many again, or no program "
                        + "attaches",
                    ["ethtool -L \(name) combined \(max(1, mostChannels / 2))"])
            ]
        }
        let best = min(processors, driver?.needsHalfOfChannels == true ? max(1, mostChannels / 2) : mostChannels)
        guard channels < best else {
            return [Finding(name, .good, "\(channels) channels for \(processors) CPUs")]
        }
        return [
            Finding(
                name, .advice, "\(channels) channels for \(processors) CPUs: the other CPUs answer no queries",
                ["ethtool -L \(name) combined \(best)"])
        ]
    }

    private var offloadFindings: [Finding] {
        var findings: [Finding] = []
        if mergesInHardware == true {
            findings.append(
                Finding(
                    name, .problem,
                    "LRO is on: XDP programs cannot see merged packets, and many drivers refuse to attach them",
                    ["ethtool -K \(name) lro off"]))
        }
        if mergesInSoftware == true, mode == .generic {
            findings.append(
                Finding(name, .advice, "GRO is on: it slows down generic XDP", ["ethtool -K \(name) gro off"]))
        }
        if stripsTags == true || insertsTags == true {
            findings.append(
                Finding(
                    name, .advice,
                    "VLAN tags are stripped before XDP sees them: replies to tagged queries would leave untagged",
                    ["ethtool -K \(name) rxvlan off txvlan off"]))
        }
        return findings
    }
}
