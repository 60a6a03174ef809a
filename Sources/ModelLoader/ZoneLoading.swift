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
        guard let text = Self.read(zone.file) else {
            let reason = String(cString: strerror(errno))
            problem(at: zone.mark, "zone \(zone.origin): cannot read \(zone.file): \(reason)")
            return
        }
        digest.add(zone.origin.lowercasedWire)
        digest.add(text)
        let contents = ZoneFileParser.parseZone(text: text, file: zone.file, apex: zone.origin)
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
        for located in contents.records {
            do throws(ZoneError) { try builder.add(located.record) } catch {
                problems.append("\(contents.file):\(located.line):\(located.column): \(error)")
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

    /// The bytes of a file; nil leaves the reason in errno.
    private static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG else {
            errno = status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL
            return nil
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        bytes.reserveCapacity(Int(status.st_size))
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count < 0 { if errno == EINTR { continue } else { return nil } }
            bytes.append(contentsOf: chunk[0..<count])
        }
    }
}
