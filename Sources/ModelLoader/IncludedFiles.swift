import Glibc
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

    init(zoneFile: String) {
        let folder = Self.realPath(Self.folder(of: zoneFile))
        self.folder = folder.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
    }

    func read(_ path: String, includedBy includer: String) throws(ZoneFileSourceError) -> ZoneFileText {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw ZoneFileSourceError(message: "this is no file's name; write one")
        }
        let name = path.hasPrefix("/") ? path : Self.folder(of: includer) + "/" + path
        if let stamp = FileStamp(name) { stamps.append(stamp) } else { missing.append(name) }
        // Opening a pipe must not wait for its writer.
        let descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw ZoneFileSourceError(message: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        guard let place = Self.realPath("/proc/self/fd/\(descriptor)"), let folder, place.hasPrefix(folder) else {
            throw ZoneFileSourceError(
                message: "it is outside the zone file's folder \(folder ?? ""); move it there, or copy its records")
        }
        guard let text = FileBytes.read(descriptor) else {
            throw ZoneFileSourceError(message: String(cString: strerror(errno)))
        }
        digest.add(text)
        return ZoneFileText(name: name, identity: place, text: text)
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

/// Whole files.
enum FileBytes {
    /// The bytes of an open regular file; nil leaves the reason in errno.
    static func read(_ descriptor: Int32) -> [UInt8]? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG else {
            errno = status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL
            return nil
        }
        var bytes: [UInt8] = []
        let chunk = 1 << 20
        bytes.reserveCapacity(Int(status.st_size) + 1)
        while true {
            let start = bytes.count
            bytes.append(contentsOf: repeatElement(0, count: min(chunk, max(4096, Int(status.st_size) - start + 1))))
            let room = bytes.count - start
            let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + start, room) }
            bytes.removeLast(room - max(count, 0))
            if count == 0 { return bytes }
            if count < 0, errno != EINTR { return nil }
        }
    }
}
