import ConfigurationModel
import DNSWire
import Glibc
import Lints
import LinuxSupport
import ZoneFile
import Zones

/// Reads the zone files of a configuration, and adds the tailored names to their zones. Zones of an earlier model are
/// kept if their files and settings are the same.
struct ZoneLoading {
    /// Problems that prevent the whole configuration from being served.
    private(set) var problems: [String] = []
    private(set) var zones: [LoadedZone] = []
    /// Warnings, for valid zones and for those that cannot be served.
    var warnings: [LintWarning] { zones.flatMap(\.warnings) + refusedWarnings }
    private var refusedWarnings: [LintWarning] = []
    private let configuration: ServerConfiguration
    private let earlier: [LoadedZone]
    private let changes: [DomainName: ZoneChanges]
    /// Index in `earlier` by origin. Built only when the order of zones has changed.
    private lazy var places = Dictionary(
        uniqueKeysWithValues: earlier.enumerated().map { ($0.element.origin, $0.offset) })

    private let effort: LoadingEffort

    init(
        _ configuration: ServerConfiguration, earlier: [LoadedZone], changes: [DomainName: ZoneChanges],
        _ effort: LoadingEffort
    ) {
        self.effort = effort
        self.changes = changes
        self.configuration = configuration
        self.earlier = earlier
    }

    /// The zone as it is served now, usually at the same index.
    private mutating func known(_ origin: DomainName) -> LoadedZone? {
        let isInPlace = zones.count < earlier.count && earlier[zones.count].origin == origin
        let place = isInPlace ? zones.count : earlier.isEmpty ? nil : places[origin]
        return place.map { place in
            var zone = earlier[place]
            // Reported once, when it was read.
            zone.settled = nil
            return zone
        }
    }

    mutating func run() {
        let tailored = byZone(configuration.tailored, \.name)
        let aliases = byZone(configuration.aliases, \.name)
        zones.reserveCapacity(configuration.zones.count)
        for zone in configuration.zones {
            add(zone, tailored: tailored[zone.origin] ?? [], aliases: aliases[zone.origin] ?? [])
        }
        // Zones that were kept have not been compared with new aliases.
        for zone in zones {
            problems += configuration.conflicts(
                of: aliases[zone.origin] ?? [], with: zone.zone, besides: changes[zone.origin])
        }
    }

    /// Settings by the origin of their name's zone: the closest one at or above it.
    private func byZone<Settings>(
        _ settings: [Settings], _ name: (Settings) -> DomainName
    ) -> [DomainName: [Settings]] {
        guard !settings.isEmpty else { return [:] }
        let origins = Set(configuration.zones.map(\.origin))
        return Dictionary(grouping: settings) { settings in
            sequence(first: name(settings), next: \.parent).first(where: origins.contains) ?? name(settings)
        }
    }

    private mutating func add(_ settings: ZoneSettings, tailored: [TailoredSettings], aliases: [AliasSettings]) {
        let inputs = LoadedZone.Inputs(file: settings.file, tailored: tailored.map(LoadedZone.Tailored.init))
        let known = known(settings.origin)
        let changes = changes[settings.origin] ?? ZoneChanges()
        if let known, known.inputs == inputs, known.changesDigest == changes.digest,
            !known.mayWarn(ofAny: aliases)
        {
            if let failure = known.failure, failure.inputs == inputs, failure.changesDigest == changes.digest,
                failure.isCurrent
            {
                return zones.append(known)
            }
            if known.files.allSatisfy(\.isCurrent) {
                // Repaired by restoring the good version.
                var known = known
                known.failure = nil
                return zones.append(known)
            }
            if let same = known.readAgain() { return zones.append(same) }
        }
        var reading = ZoneReading(settings, inputs, changes, served: known?.file, effort)
        if let zone = reading.zone(configuration, tailored, aliases) { return zones.append(zone) }
        // A zone that stays in use must fit the new configuration: its tailored names are part of the zone.
        guard var known, known.inputs.tailored == inputs.tailored else {
            problems += reading.problems
            refusedWarnings += reading.warnings
            return
        }
        known.failure = reading.failure
        zones.append(known)
    }
}

extension LoadedZone {
    /// Whether a warning may be about a name that has become an alias, and so has addresses.
    fileprivate func mayWarn(ofAny aliases: [AliasSettings]) -> Bool {
        followers != Set(aliases.map(\.name))
            && warnings.contains { $0.lint == .serverAddress || $0.lint == .danglingTarget }
    }

    /// This zone with new stamps, if the content of its files is unchanged. Nil otherwise.
    fileprivate func readAgain() -> LoadedZone? {
        // The includes of a zone file are found only by parsing it.
        guard files.count == 1,
            let contents = try? FileContents(path: files[0].path, limit: IncludedFiles.maximumBytes),
            ModelDigest(zone: origin, contents.bytes).value == digest
        else { return nil }
        return LoadedZone(
            origin: origin, zone: zone, serial: serial, records: records, changes: changes, additions: additions,
            loadedAt: loadedAt,
            warnings: warnings, failure: nil, digest: digest, changesDigest: changesDigest, files: [contents.stamp],
            inputs: inputs, followers: followers, file: file)
    }
}

extension ModelDigest {
    /// Hash of a zone's name and the text of its file.
    fileprivate init(zone origin: DomainName, _ text: [UInt8]) {
        self.init()
        add(origin.lowercasedWire)
        add(text)
    }
}

extension ModelDigest {
    /// Hash of the records of a file, without their places in it.
    fileprivate init(_ records: RecordList) {
        self.init()
        add(records.bytes)
        for entry in records.entries {
            add(entry.ttl)
            add(entry.type.rawValue)
        }
    }
}

/// One attempt to build a zone from its files.
private struct ZoneReading {
    private let settings: ZoneSettings
    private let inputs: LoadedZone.Inputs
    private let changes: ZoneChanges
    /// The file of the zone as it is being served.
    private let served: LoadedZone.FileContent?
    private let effort: LoadingEffort
    private(set) var problems: [String] = []
    private(set) var warnings: [LintWarning] = []
    private var files: [FileStamp] = []
    private var missing: [String] = []
    private var digest = ModelDigest()
    private var content = LoadedZone.FileContent(serial: 0, digest: 0)

    init(
        _ settings: ZoneSettings, _ inputs: LoadedZone.Inputs, _ changes: ZoneChanges,
        served: LoadedZone.FileContent?, _ effort: LoadingEffort
    ) {
        (self.settings, self.inputs, self.changes, self.served, self.effort) =
            (settings, inputs, changes, served, effort)
    }

    var failure: LoadedZone.Failure {
        LoadedZone.Failure(
            problems: problems, files: files, missing: missing, inputs: inputs, changesDigest: changes.digest)
    }

    /// The zone, or nil with `problems`.
    mutating func zone(
        _ configuration: ServerConfiguration, _ tailored: [TailoredSettings], _ aliases: [AliasSettings]
    ) -> LoadedZone? {
        guard let contents = contents(configuration, tailored.map(\.name), aliases.map(\.name)) else { return nil }
        problems += contents.errors.map { "\($0)" }
        warnings = contents.warnings.compactMap(\.warning)
        guard problems.isEmpty else { return nil }
        var builder = ZoneBuilder(apex: settings.origin)
        let records = contents.records
        checkSerial(records)
        let bytes = records.bytes.span
        for (index, entry) in records.entries.enumerated() {
            do throws(ZoneError) {
                try builder.add(
                    owner: bytes.extracting(entry.owner), type: entry.type, ttl: entry.ttl,
                    data: bytes.extracting(entry.data))
            } catch {
                problems.append("\(records[index].place): \(error)")
            }
        }
        for name in tailored {
            do throws(ZoneError) {
                try builder.addTailoredName(name.name, as: LoadedZone.Tailored(name).kinds)
            } catch {
                problems.append("\(configuration.problem(at: name.mark, "tailored name \(error)"))")
            }
        }
        guard problems.isEmpty else { return nil }
        do throws(ZoneError) {
            let file = try builder.build()
            problems += configuration.conflicts(of: aliases, with: file)
            let applied = AppliedChanges(changes, over: file)
            reportConflicts(of: applied, over: file, records)
            guard problems.isEmpty else { return nil }
            return LoadedZone(
                origin: settings.origin, zone: applied.zone, serial: applied.zone.serial,
                records: records.entries.count + applied.zone.recordCount(of: applied.remaining, over: file),
                changes: applied.remaining.sets.count, additions: applied.additions,
                settled: applied.remaining.digest == changes.digest ? nil : applied.remaining, loadedAt: Self.now,
                warnings: warnings, failure: nil, digest: digest.value, changesDigest: applied.remaining.digest,
                files: files, inputs: inputs, followers: Set(aliases.map(\.name)), file: content)
        } catch {
            problems.append("\(configuration.problem(at: settings.mark, "zone \(error)"))")
            return nil
        }
    }

    /// Secondary servers and people follow the serial: it must be raised whenever the content changes.
    private mutating func checkSerial(_ records: RecordList) {
        guard let soa = records.entries.first(where: { $0.type == .soa }), soa.data.count >= 20 else { return }
        let place = soa.data.upperBound - 20
        let serial = records.bytes[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        content = LoadedZone.FileContent(serial: serial, digest: ModelDigest(records).value)
        guard let served, served.digest != content.digest, !SerialNumber.isLater(serial, than: served.serial),
            !hasLaterSerial(than: serial)
        else { return }
        let found = serial == served.serial ? "stayed at \(serial)" : "went back from \(served.serial) to \(serial)"
        warnings.append(
            LintWarning(
                .serial, at: "\(records.files[Int(soa.file)]):\(soa.line):\(soa.column)",
                "the content of zone \(settings.origin) changed, but its serial \(found)",
                remedy: "raise the serial with each change"))
    }

    /// Whether record changes raised the serial above that of the file, for which there is a warning of its own. The
    /// addresses of aliases do not raise it.
    private func hasLaterSerial(than serial: UInt32) -> Bool {
        changes.serial.map { SerialNumber.isLater($0, than: serial) } ?? false
    }

    /// Reports record changes that conflict with the file. If the zone is being served, they block the new version.
    /// Otherwise they are left out: a server that starts must answer.
    private mutating func reportConflicts(of applied: AppliedChanges, over file: Zone, _ records: RecordList) {
        for (key, error) in applied.impossible {
            let owner = DomainName(wire: key.owner) ?? .root
            let index = records.entries.firstIndex { DomainName(wire: records.bytes[$0.owner]) == owner }
            let place = index.map { records[$0].place } ?? "\(settings.file):1:1"
            let isOfAlias = changes[key]?.isOfAlias == true
            let origin = isOfAlias ? "addresses of an alias" : "a record change made through the API"
            let what = "\(owner) \(key.type), \(origin), conflicts with the file: \(error)"
            let remedy =
                isOfAlias
                ? "correct the file, or remove \(owner) from aliases"
                : "correct the file, or drop the change with `nearcast record drop \(settings.origin) --name \(owner)`"
            if served != nil {
                problems.append("\(place): \(what); \(remedy)")
            } else {
                warnings.append(
                    LintWarning(.recordChange, at: place, "\(what); the change is not served", remedy: remedy))
            }
        }
        if let serial = changes.serial, served != nil, hasLaterSerial(than: file.serial) {
            warnings.append(
                LintWarning(
                    .serial, at: "\(settings.file):1:1",
                    "the serial \(file.serial) is not later than \(serial), which is served with record changes and "
                        + "stays in use", remedy: "raise the serial in the file"))
        }
    }

    private mutating func contents(
        _ configuration: ServerConfiguration, _ tailored: [DomainName], _ aliases: [DomainName]
    ) -> ZoneFileContents? {
        do throws(FileProblem) {
            let file = try FileContents(path: settings.file, limit: IncludedFiles.maximumBytes)
            files.append(file.stamp)
            effort.parses(bytes: file.bytes.count)
            digest = ModelDigest(zone: settings.origin, file.bytes)
            let included = IncludedFiles(zoneFile: settings.file, bytes: file.bytes.count)
            let contents = ZoneFileParser.parseZone(
                included.top(settings.file, file.bytes), apex: settings.origin, source: included,
                others: tailored + changes.sets.keys.compactMap { DomainName(wire: $0.owner) },
                followers: aliases)
            files += included.stamps
            missing += included.missing
            if !included.stamps.isEmpty { digest.add(included.digest.value) }
            return contents
        } catch {
            if let stamp = FileStamp(settings.file) { files.append(stamp) } else { missing.append(settings.file) }
            let message = "zone \(settings.origin): cannot read \(settings.file): \(error)"
            problems.append("\(configuration.problem(at: settings.mark, message))")
            return nil
        }
    }

    private static var now: Double {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
    }
}
