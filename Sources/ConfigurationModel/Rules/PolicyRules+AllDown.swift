import IPNetworks

/// `when_all_down` of policies.
extension PolicyRules {
    func whenAllDown(_ entry: Entry<PolicyDeclaration>) -> PolicySettings.AllDownRule? {
        guard !entry.declaration.whenAllDown.isAbsent else { return .open }
        guard let declared = entry.declaration.whenAllDown.located else { return nil }
        let name = entry.name("when_all_down")
        switch declared.value {
        case .word(let word):
            guard let line = line(declared.map { _ in word }, name, Expected.allDown) else { return nil }
            switch line.value {
            case "open": return .open
            case "refuse": return .refuse
            default:
                let suggestion = Spelling.nearest(to: word, among: ["open", "refuse"])
                report(
                    line.location, "\(name) is \(line.quoted), expected \(Expected.allDown)",
                    remedy: suggestion.map { "did you mean \($0)?" } ?? "write one of them")
                return nil
            }
        case .other(let fallback, let addresses):
            guard fallback.isAbsent != addresses.isAbsent else {
                report(
                    declared.location,
                    "\(name) is \(fallback.isAbsent ? "empty" : "both"), expected \(Expected.allDown)",
                    remedy: "write one of them")
                return nil
            }
            if let fallback = fallback.located {
                return reference(fallback, from: entry.owner, to: .pools, known: names.pools).map {
                    .fallback(pool: $0)
                }
            }
            return self.addresses(addresses, entry.scope.nested("when_all_down", declared)).map { .addresses($0) }
        }
    }

    private func addresses(_ declared: DeclaredList<String>, _ scope: Scope) -> [IPAddress]? {
        guard let elements = list(declared, "addresses", .allDownAddresses, in: scope) else { return nil }
        let name = scope.name("addresses")
        var addresses: [IPAddress] = []
        for element in elements {
            guard let address = address(element, "an entry of \(name)", owner: name) else { return nil }
            if let kind = address.kindOfNoServer {
                report(
                    element.location,
                    "\(name) has \(address), \(kind), expected an address at which clients can reach a server",
                    remedy: "correct it")
                return nil
            }
            guard !addresses.contains(address) else {
                report(element.location, "\(name) has \(address) twice", remedy: "remove one")
                return nil
            }
            addresses.append(address)
        }
        guard IPFamily.allCases.allSatisfy({ family in addresses.count { $0.family == family } <= 8 }) else {
            report(
                declared.located?.location ?? scope.location,
                "\(name) has more than 8 addresses of a family, expected at most 8", remedy: "remove some")
            return nil
        }
        return addresses
    }
}

extension IPAddress {
    /// Why clients cannot reach a server at the address. `nil`: they can.
    fileprivate var kindOfNoServer: String? {
        func isIn(_ text: String) -> Bool { IPPrefix(text)?.contains(self) == true }
        // RFC 1122, section 3.2.1.3; RFC 5771; RFC 4291, sections 2.5.2, 2.5.3 and 2.7.
        if isIn("0.0.0.0/8") || self == .v6(0) { return "which identifies no host" }
        if isIn("127.0.0.0/8") || self == .v6(1) { return "which is a loopback address" }
        if isIn("224.0.0.0/4") || isIn("ff00::/8") { return "which is multicast" }
        return self == .v4(.max) ? "which is broadcast" : nil
    }
}
