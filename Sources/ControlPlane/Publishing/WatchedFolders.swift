import CLinux
import Glibc
package import LinuxSupport

/// Folders that are watched for changes of certain files (inotify).
///
/// Used by one task at a time.
package final class WatchedFolders {
    private let descriptor: CInt
    /// Watch → its folder and the names that matter in it.
    private var folders: [CInt: Folder] = [:]

    private struct Folder {
        let path: String
        var names = Names()
    }

    /// Names of files in a folder, and patterns of names.
    private struct Names {
        var exact: Set<String> = []
        var patterns: Set<String> = []

        mutating func formUnion(_ other: Names) {
            exact.formUnion(other.exact)
            patterns.formUnion(other.patterns)
        }

        func contains(_ name: String) -> Bool {
            exact.contains(name) || patterns.contains { FileListing.matches(name, $0) }
        }
    }

    /// A file is complete when its writer closes it or it is renamed; links and removals matter too.
    private static let events =
        UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_CREATE) | UInt32(IN_DELETE)
        | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)

    /// - Throws: the system's refusal.
    package init() throws(SystemError) {
        descriptor = try callSettingErrno("inotify") { inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC)) }
    }

    deinit { close(descriptor) }

    /// Watches these files and no others, as they are named and where links lead.
    package func watch(_ files: WatchedFiles) {
        var names: [String: Names] = [:]
        for path in files.paths {
            Self.add(path, in: \.exact, to: &names)
            if Self.isLink(path), let real = Self.resolved(path) { Self.add(real, in: \.exact, to: &names) }
        }
        for pattern in files.patterns { Self.add(pattern, in: \.patterns, to: &names) }
        for (folder, files) in names {
            guard let real = Self.resolved(folder), real != folder else { continue }
            names[real, default: Names()].formUnion(files)
        }
        var wanted: [CInt: Folder] = [:]
        for (folder, names) in names {
            let watch = inotify_add_watch(descriptor, folder, Self.events)
            // A folder that is not there is tried again after the next reload.
            guard watch >= 0 else { continue }
            wanted[watch, default: Folder(path: folder)].names.formUnion(names)
        }
        for watch in folders.keys where wanted[watch] == nil { inotify_rm_watch(descriptor, watch) }
        folders = wanted
    }

    private static func add(
        _ path: String, in list: WritableKeyPath<Names, Set<String>>, to names: inout [String: Names]
    ) {
        guard let slash = path.lastIndex(of: "/") else { return add("./" + path, in: list, to: &names) }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        names[folder, default: Names()][keyPath: list].insert(String(path[path.index(after: slash)...]))
    }

    private static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// Whether something that matters has happened since the last call.
    package func hasChanged() -> Bool {
        var buffer = [UInt64](repeating: 0, count: 8192)
        var hasChanged = false
        while true {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return hasChanged }
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                while offset + MemoryLayout<inotify_event>.size <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    offset += MemoryLayout<inotify_event>.size
                    let name = bytes[offset..<offset + Int(event.len)].prefix { $0 != 0 }
                    offset += Int(event.len)
                    if matters(event, String(decoding: name, as: UTF8.self)) { hasChanged = true }
                }
            }
        }
    }

    private func matters(_ event: inotify_event, _ name: String) -> Bool {
        // Events were lost, or the folder itself went.
        if event.mask & (UInt32(IN_Q_OVERFLOW) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)) != 0 { return true }
        guard let folder = folders[event.wd] else { return false }
        if folder.names.contains(name) { return event.mask & UInt32(IN_CREATE) == 0 || isAnotherName(folder, name) }
        // A link that files are reached through, as volumes of containers have them.
        return event.mask & (UInt32(IN_MOVED_TO) | UInt32(IN_CREATE)) != 0 && Self.isLink("\(folder.path)/\(name)")
    }

    /// Whether what was created is complete at once: a link of either kind.
    private func isAnotherName(_ folder: Folder, _ name: String) -> Bool {
        linux_is_link("\(folder.path)/\(name)", 0) == 1
    }

    private static func isLink(_ path: String) -> Bool { linux_is_link(path, 1) == 1 }
}
