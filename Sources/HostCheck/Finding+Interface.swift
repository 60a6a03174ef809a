extension InterfaceFacts {
    func findings(processors: Int) -> [Finding] {
        guard exists else {
            return [
                Finding(
                    name, .problem, "there is no such interface here: correct fast_path.interfaces", ["ip -brief link"])
            ]
        }
        var findings = [supportFinding]
        let driver = Driver.known(driver)
        if !isUp { findings.append(Finding(name, .problem, "it is down", ["ip link set dev \(name) up"])) }
        findings += mtuFinding(driver) + channelFindings(driver, processors) + offloadFindings
        if let ring, let longestRing, ring < min(longestRing, 1_024) {
            findings.append(
                Finding(
                    name, .advice, "its receive rings have \(ring) slots of \(longestRing): a burst finds no room",
                    ["ethtool -G \(name) rx \(min(longestRing, 4_096))"]))
        }
        if let remark = driver?.remark { findings.append(Finding(name, .advice, remark)) }
        return findings
    }

    private var supportFinding: Finding {
        let driver = driver.isEmpty ? "a driver without a name" : driver
        switch mode {
        case .native: return Finding(name, .good, "\(driver): a program is on it, natively")
        case .generic:
            return Finding(
                name, .advice, "\(driver): a program is on it, generically: several times slower than natively")
        case nil: break
        }
        switch Driver.known(driver)?.support {
        case .native: return Finding(name, .good, "\(driver) runs XDP programs natively")
        case .conditional(let condition):
            return Finding(name, .advice, "\(driver) runs XDP programs natively: \(condition)")
        case .none?:
            return Finding(
                name, .advice, "\(driver) has no native XDP: mode auto or generic works, several times slower")
        case nil:
            return Finding(
                name, .advice, "\(driver) is not known here: mode auto tries natively first and says what came of it")
        }
    }

    private func mtuFinding(_ driver: Driver?) -> [Finding] {
        guard let longest = driver?.longestMTU else { return [] }
        guard mtu > longest else { return [Finding(name, .good, "MTU \(mtu), of at most \(longest) with XDP")] }
        return [
            Finding(
                name, .problem, "MTU \(mtu) is above \(longest), the most that its driver takes with XDP",
                ["ip link set dev \(name) mtu 1500"])
        ]
    }

    private func channelFindings(_ driver: Driver?, _ processors: Int) -> [Finding] {
        guard let channels, let mostChannels, mostChannels > 0 else { return [] }
        if driver?.needsHalfOfChannels == true, channels > mostChannels / 2 {
            return [
                Finding(
                    name, .problem,
                    "\(channels) channels of \(mostChannels) are in use: replies of XDP need as many again, or no program "
                        + "attaches",
                    ["ethtool -L \(name) combined \(max(1, mostChannels / 2))"])
            ]
        }
        let best = min(processors, driver?.needsHalfOfChannels == true ? max(1, mostChannels / 2) : mostChannels)
        guard channels < best else {
            return [Finding(name, .good, "\(channels) channels for \(processors) processors")]
        }
        return [
            Finding(
                name, .advice, "\(channels) channels for \(processors) processors: the others answer nothing",
                ["ethtool -L \(name) combined \(best)"])
        ]
    }

    private var offloadFindings: [Finding] {
        var findings: [Finding] = []
        if mergesInHardware == true {
            findings.append(
                Finding(
                    name, .problem, "LRO is on: XDP programs do not see merged packets, and many drivers refuse them",
                    ["ethtool -K \(name) lro off"]))
        }
        if mergesInSoftware == true, mode == .generic {
            findings.append(
                Finding(name, .advice, "GRO is on: it costs the generic hook time", ["ethtool -K \(name) gro off"]))
        }
        if stripsTags == true || insertsTags == true {
            findings.append(
                Finding(
                    name, .advice,
                    "VLAN tags are taken off before XDP sees them: where queries come with tags, replies lack them",
                    ["ethtool -K \(name) rxvlan off txvlan off"]))
        }
        return findings
    }
}
