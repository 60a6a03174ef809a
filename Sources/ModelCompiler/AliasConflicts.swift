import ConfigurationModel
import DNSWire
import Zones

extension ServerConfiguration {
    /// Aliases whose names have a CNAME record, which excludes addresses (RFC 1034, section 3.6.2).
    ///
    /// - Parameter changes: the record changes that are part of the zone. A CNAME record among them is no mistake in a
    ///   file: a server that starts must answer.
    func conflicts(of aliases: [AliasSettings], with zone: Zone, besides changes: ZoneChanges? = nil) -> [String] {
        aliases.filter { alias in
            changes?[RRsetKey(owner: alias.name.lowercasedWire, type: .cname)] == nil
                && zone.rrsets(of: alias.name).contains { $0.type == .cname }
        }.map { alias in
            let found = "alias \"\(alias.name)\" has a CNAME record in its zone, so it can have no addresses"
            return "\(problem(at: alias.mark, "\(found): remove the record or the alias"))"
        }
    }
}
