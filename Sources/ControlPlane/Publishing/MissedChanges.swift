import ControlFailures
import DNSWire
import ModelCompiler
import Zones

/// Record changes made while a model is read or its tables are planned. The model lacks them until it catches up.
struct MissedChanges {
    private var sets: [DomainName: [RRsetKey: ZoneChanges.RRset]] = [:]
    /// The names whose data changed in the zones that are served.
    private var names: [DomainName: Set<[UInt8]>] = [:]

    var isEmpty: Bool { sets.isEmpty }

    mutating func add(
        _ zone: DomainName, _ later: [RRsetKey: ZoneChanges.RRset], _ changed: Set<[UInt8]>
    ) {
        sets[zone, default: [:]].merge(later) { $1 }
        names[zone, default: []].formUnion(changed)
    }

    /// `model`, which was made of `base`, with the changes since.
    ///
    /// - Parameters:
    ///   - applied: the record changes that `model` was read with.
    ///   - loaded: what `base` has become by these changes, and serves.
    ///   - places: of the zones of `loaded`.
    ///   - kept: all that is kept of them.
    /// - Returns: the model, and by the places of its zones the names that differ.
    /// - Throws: `invalid` where the files that were read meanwhile do not allow them.
    func make(
        in model: LoadedModel, base: LoadedModel, applied: [DomainName: ZoneChanges], loaded: LoadedModel,
        places: [DomainName: Int], kept: [DomainName: ZoneChanges]
    ) throws(ControlFailure) -> (model: LoadedModel, names: [Int: Set<[UInt8]>]) {
        var (next, changed): (LoadedModel, [Int: Set<[UInt8]>]) = (model, [:])
        guard !isEmpty else { return (next, changed) }
        var versions: [Int: LoadedZone] = [:]
        let own = model.places
        for (origin, sets) in sets {
            guard let place = own[origin], let known = places[origin] else { continue }
            if model.zones[place].zone === base.zones[known].zone {
                (versions[place], changed[place]) = (loaded.zones[known], names[origin])
            } else {
                let (zone, names) = try Self.lay(
                    sets, over: model.zones[place], applied[origin] ?? ZoneChanges(), serving: loaded.zones[known],
                    kept[origin] ?? ZoneChanges())
                (versions[place], changed[place]) = (zone, names)
            }
        }
        next = model.replacing(versions)
        return (next, changed)
    }

    private static func lay(
        _ sets: [RRsetKey: ZoneChanges.RRset], over zone: LoadedZone, _ applied: ZoneChanges, serving: LoadedZone,
        _ kept: ZoneChanges
    ) throws(ControlFailure) -> (LoadedZone, Set<[UInt8]>) {
        let serial = SerialNumber.isLater(serving.serial, than: zone.serial) ? serving.serial : zone.serial
        do throws(ZoneError) {
            var batches = try ZoneBatches(zone.zone)
            do throws(ZoneBatchError) {
                try batches.apply(sets.compactMap { RRsetChange($0, $1) }, raisesSerial: false)
            } catch { throw error.problems[0].error }
            batches.setSerial(serial)
            let (version, names) = batches.finish()
            return (zone.laying(sets, making: version, over: applied, kept), names)
        } catch {
            throw ControlFailure.revision([
                "zone \(zone.origin): \(error.name) was changed while the files were read, and the change does not fit them: "
                    + error.message
            ])
        }
    }
}
