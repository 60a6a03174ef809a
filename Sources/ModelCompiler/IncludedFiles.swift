import Glibc
import LinuxSupport
import ZoneFile

/// The files that a zone file may include: those in its folder and below.
///
/// A name in $INCLUDE is relative to the folder of the including file. The resolved path decides, after symbolic links
/// and ".." components. It is taken from the open file, so nothing can be swapped in between.
final class IncludedFiles: ZoneFileSource {
    /// Without symbolic links. Ends in "/".
    private let folder: String?
    /// The requested files, as they were before they were read: when one changes, the zone may.
    private(set) var stamps: [FileStamp] = []
    /// The names of requested files that do not exist.
    private(set) var missing: [String] = []
    /// Hash of the texts read.
    private(set) var digest = ModelDigest()
    /// Maximum size in bytes of a zone file with its includes: some ten million records.
    static let maximumBytes = 512 << 20
    /// Bytes left for further includes.
    private var bytesLeft: Int

    /// - Parameter bytes: size of the zone file itself.
    init(zoneFile: String, bytes: Int) {
        bytesLeft = Self.maximumBytes - bytes
        let folder = Self.realPath(Self.folder(of: zoneFile))
        self.folder = folder.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
    }

    func read(_ path: String, includedBy includer: String) throws(ZoneFileSourceError) -> ZoneFileText {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw ZoneFileSourceError(message: "this is not a file name; write one")
        }
        let name = path.hasPrefix("/") ? path : Self.folder(of: includer) + "/" + path
        if let stamp = FileStamp(name) { stamps.append(stamp) } else { missing.append(name) }
        let text = try text(of: name)
        digest.add(text.bytes)
        return ZoneFileText(name: name, identity: text.place, text: text.bytes)
    }

    private func text(of name: String) throws(ZoneFileSourceError) -> (place: String, bytes: [UInt8]) {
        do throws(FileProblem) {
            let file = try RegularFile(path: name)
            if let place = Self.realPath("/proc/self/fd/\(file.descriptor)"), let folder, place.hasPrefix(folder) {
                let bytes = try file.read(limit: bytesLeft)
                bytesLeft -= bytes.count
                return (place, bytes)
            }
        } catch { throw ZoneFileSourceError(message: "\(error)") }
        throw ZoneFileSourceError(
            message: "it is outside of the zone file's folder \(folder ?? ""); move it there, or copy its records")
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Records the zone file itself, which was read already, as the first file.
    func top(_ path: String, _ text: [UInt8]) -> ZoneFileText {
        ZoneFileText(name: path, identity: Self.realPath(path) ?? path, text: text)
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
