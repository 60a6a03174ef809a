import DNSWire
import IPNetworks
import Zones

extension Resolver {
    /// Whether the zone of a name answers this sender. Only the source address counts, because a client subnet can be
    /// forged.
    func admits(_ client: IPAddress, _ name: LookupName, _ type: RecordType) -> Bool {
        guard let zone = responsibleZone(name, type), let list = zones.accessList(of: zone) else { return true }
        return list.admits(client)
    }

    /// Whether an alias in `zone` may be followed into `next`. A zone with an access list only answers direct queries.
    func isOpen(_ next: Zone, after zone: Zone) -> Bool {
        !zones.hasAccessLists || next === zone || zones.accessList(of: next) == nil
    }
}
