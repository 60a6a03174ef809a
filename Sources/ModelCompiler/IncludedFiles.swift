import Glibc
import LinuxSupport
import ZoneFile

/// The files that a zone file may include: those in its folder and below.
///
/// A name in $INCLUDE is relative to the folder of the file that has the line. Where symbolic links and ".." lead in the end
/// decides, not what is written; the open file is asked, so that nothing can be exchanged in between.
final class IncludedFiles: ZoneFileSource {
    /// Without links; ends in "/".
    private let folder: String?
    /// The files that were asked for, as they were before they were read: when one changes, the zone may.
    private(set) var stamps: [FileStamp] = []
    /// The names of those that are not there.
    private(set) var missing: [String] = []
    /// Of the texts read.
    private(set) var digest = ModelDigest()
    /// Bytes that a zone file and what it includes may have together: some ten million records.
    static let maximumBytes = 512 << 20
    /// Bytes that are left for files to be included.
    private var bytesLeft: Int

    /// - Parameter bytes: of the zone file itself.
    init(zoneFile: String, bytes: Int) {
        bytesLeft = Self.maximumBytes - bytes
        let folder = Self.realPath(Self.folder(of: zoneFile))
        self.folder = folder.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
    }

    func read(_ path: String, includedBy includer: String) throws(ZoneFileSourceError) -> ZoneFileText {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw ZoneFileSourceError(message: "this is no file's name; write one")
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
            message: "it is outside the zone file's folder \(folder ?? ""); move it there, or copy its records")
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The zone file itself, whose text was read already, as the first of the files.
    func top(_ path: String, _ text: [UInt8]) -> ZoneFileText {
        ZoneFileText(name: path, identity: Self.realPath(path) ?? path, text: text)
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
