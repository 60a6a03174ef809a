import DNSWire
import Glibc
import ServerConfiguration
import Serving
import ZoneFile

/// Reads the zone files of a configuration, and puts the tailored names into their zones.
struct ZoneLoading {
    private(set) var problems: [String] = []
    private(set) var warnings: [String] = []
    private(set) var zones: [Zone] = []
    private let configuration: ServerConfiguration

    init(_ configuration: ServerConfiguration) { self.configuration = configuration }

    mutating func run(digest: inout ModelDigest) {
        let origins = configuration.zones.map(\.origin)
        for zone in configuration.zones {
            let inside = configuration.tailored.filter { tailored in
                Self.closest(to: tailored.name, among: origins) == zone.origin
            }
            load(zone, tailored: inside, digest: &digest)
        }
    }

    /// The zone a name belongs to: the longest origin at or above it.
    private static func closest(to name: DomainName, among origins: [DomainName]) -> DomainName? {
        origins.filter { name.isSubdomain(of: $0) }.max { $0.labelCount < $1.labelCount }
    }

    private mutating func load(_ zone: ZoneSettings, tailored: [TailoredSettings], digest: inout ModelDigest) {
        guard let text = FileBytes.read(path: zone.file) else {
            let reason = String(cString: strerror(errno))
            problem(at: zone.mark, "zone \(zone.origin): cannot read \(zone.file): \(reason)")
            return
        }
        digest.add(zone.origin.lowercasedWire)
        digest.add(text)
        let included = IncludedFiles(zoneFile: zone.file)
        let contents = ZoneFileParser.parseZone(included.top(zone.file, text), apex: zone.origin, source: included)
        if !included.names.isEmpty { digest.add(included.digest.value) }
        warnings += contents.warnings.map { "\($0)" }
        guard contents.errors.isEmpty else {
            problems += contents.errors.map { "\($0)" }
            return
        }
        build(zone, contents, tailored)
    }

    private mutating func build(_ zone: ZoneSettings, _ contents: ZoneFileContents, _ tailored: [TailoredSettings]) {
        var builder = ZoneBuilder(apex: zone.origin)
        var failed = false
        let records = contents.records
        for (index, entry) in records.entries.enumerated() {
            do throws(ZoneError) {
                let bytes = records.bytes.span
                try builder.add(
                    owner: bytes.extracting(entry.owner), type: entry.type, ttl: entry.ttl,
                    data: bytes.extracting(entry.data))
            } catch {
                problems.append("\(records[index].place): \(error)")
                failed = true
            }
        }
        for name in tailored {
            do throws(ZoneError) { try builder.addTailoredName(name.name) } catch {
                problem(at: name.mark, "tailored name \(error)")
                failed = true
            }
        }
        guard !failed else { return }
        do throws(ZoneError) { zones.append(try builder.build()) } catch { problem(at: zone.mark, "zone \(error)") }
    }

    private mutating func problem(at mark: SourceMark, _ message: String) {
        problems.append("\(configuration.problem(at: mark, message))")
    }
}
