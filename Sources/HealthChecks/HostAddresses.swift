import DNSWire
import Health
import HostLookup
import IPNetworks

/// Chooses the address at which the host of a check is probed.
struct HostAddresses: Sendable {
    /// What to do with the probe.
    enum Choice: Hashable, Sendable {
        case address(IPAddress)
        /// It ends here.
        case outcome(ProbeOutcome)
    }

    let lookup: HostLookup

    /// One of the host's addresses that this machine has a route to, IPv4 first. Of several, any: so all are probed in the
    /// course of time.
    ///
    /// A host that certainly has no address fails. If no server tells, nothing is known of the host.
    func find(_ host: String, for check: Check) async -> Choice {
        guard let name = try? DomainName(host) else { return .outcome(.failed("\(host) is not a domain name")) }
        var (unrouted, unanswered): (ProbeOutcome?, String?) = (nil, nil)
        for family in check.source.map({ [$0.family] }) ?? IPFamily.allCases {
            switch await lookup.addresses(of: name, family: family) {
            case .addresses(let addresses, _):
                guard let address = addresses.randomElement() else { continue }
                guard let problem = Route.problem(to: address, from: check.source) else { return .address(address) }
                unrouted = unrouted ?? problem
            case .noSuchName: return .outcome(.failed("the name \(host) does not exist"))
            case .noData: continue
            case .unanswered(let reason): unanswered = reason
            }
        }
        if let unrouted { return .outcome(unrouted) }
        if let unanswered { return .outcome(.unasked("\(host) cannot be looked up: \(unanswered)")) }
        return .outcome(
            .failed("the name \(host) has no address\(check.source.map { " of the family of \($0)" } ?? "")"))
    }
}
