import ConfigurationModel
import DNSWire
import Zones

extension ServerConfiguration {
    /// Aliases whose names can have no addresses in their zone: those with a CNAME record (RFC 1034, section 3.6.2),
    /// and those for which the zone is not authoritative.
    ///
    /// - Parameter changes: the record changes that are part of the zone. A CNAME record among them is no mistake in a
    ///   file: a server that starts must answer.
    func conflicts(of aliases: [AliasSettings], with zone: Zone, besides changes: ZoneChanges? = nil) -> [String] {
        aliases.compactMap { alias in
            guard let obstacle = zone.obstacle(to: alias, changes) else { return nil }
            let found = "alias \"\(alias.name)\" \(obstacle), so it can have no addresses"
            return "\(problem(at: alias.mark, "\(found): remove the record or the alias"))"
        }
    }
}

extension Zone {
    /// What keeps the name of an alias from having addresses. `nil`: nothing.
    fileprivate func obstacle(to alias: AliasSettings, _ changes: ZoneChanges?) -> String? {
        LookupName.withScratch { lookup in
            alias.name.wire.withUnsafeBytes { lookup.load($0) }
            let match = match(lookup)
            switch find(match, .a) {
            case .referral(let node, _):
                let isAtCut = match.encloser == node && match.label == 0
                return isAtCut ? "is delegated by NS records in its zone" : "is below a delegation of its zone"
            case .dname: return "is below a DNAME record of its zone"
            // Not one that a wildcard has.
            case .alias where !match.isSynthesised:
                let key = RRsetKey(owner: alias.name.lowercasedWire, type: .cname)
                return changes?[key] == nil ? "has a CNAME record in its zone" : nil
            case .alias, .data, .noData, .onlyTailored, .nxDomain: return nil
            }
        }
    }
}
