public import BPFRuntime
import CFastPathABI
import Glibc
import LinuxSupport
import SystemPackage

/// Where the fast path is pinned:
///
///     /sys/fs/bpf/nearcast/<layout>-<n>/program, node_words, control, locations, …
///     /sys/fs/bpf/nearcast/link-<interface>        one link for each interface, above the folders
///
/// A new program is built in its own folder while the old one answers. Updating the links activates it. Then the old
/// folder is removed.
public struct PinnedFastPath: Sendable {
    /// The daemon's. There is one per machine.
    public static let standard = PinnedFastPath(root: BPFFileSystem.root + "/nearcast")

    /// The root folder: an absolute path in a BPF file system.
    public let root: String

    public init(root: String) { self.root = root }

    func linkPath(_ interface: String) -> String { "\(root)/link-\(interface)" }

    /// A folder with one program and its maps.
    struct Folder: Hashable {
        let root: String
        let layout: Int
        let number: Int

        var path: String { "\(root)/\(layout)-\(number)" }
    }

    /// Folders of all layouts, the latest last.
    func folders() throws -> [Folder] {
        guard BPFFileSystem.exists(root) else { return [] }
        return try BPFFileSystem.list(root).compactMap(folder(named:)).sorted { $0.number < $1.number }
    }

    private func folder(named name: String) -> Folder? {
        let parts = name.split(separator: "-")
        guard parts.count == 2, let layout = Int(parts[0]), let number = Int(parts[1]) else { return nil }
        return Folder(root: root, layout: layout, number: number)
    }

    /// Interfaces with a pinned link.
    public func linkedInterfaces() throws -> [String] {
        guard BPFFileSystem.exists(root) else { return [] }
        return try BPFFileSystem.list(root).filter { $0.hasPrefix("link-") }.map { String($0.dropFirst(5)) }.sorted()
    }

    /// The folder of the program with the kernel's id `id`.
    func folder(of id: UInt32) throws -> Folder? {
        try folders().first { (try? BPFProgram.openPinned("\($0.path)/program"))?.id == id }
    }

    /// The folders of the attached programs; a later folder may be incomplete. There is one, except after a crash
    /// between two link updates.
    func foldersInUse() throws -> Set<Folder> {
        var folders: Set<Folder> = []
        for interface in try linkedInterfaces() {
            guard let link = try? XDPLink.openPinned(linkPath(interface)),
                let folder = try folder(of: link.information.programID)
            else { continue }
            folders.insert(folder)
        }
        return folders
    }

    /// The latest of them.
    func folderInUse() throws -> Folder? { try foldersInUse().max { $0.number < $1.number } }

    /// Creates the root and locks it for this process: two daemons would take each other's links.
    ///
    /// - Returns: nil when another process holds the lock.
    public func lock() throws -> FolderLock? {
        try BPFFileSystem.ensureMounted()
        try BPFFileSystem.makeDirectory(root)
        return try FolderLock(root)
    }

    /// Whether another process holds the lock. False in doubt: ``lock()`` says more.
    public var isLockedElsewhere: Bool {
        guard BPFFileSystem.exists(root) else { return false }
        do { return try FolderLock(root) == nil } catch { return false }
    }

    /// Detaches the program from every interface and removes everything pinned. Works without a daemon.
    ///
    /// - Returns: the removed paths.
    public func removeAll() throws -> [String] {
        guard BPFFileSystem.exists(root) else { return [] }
        var removed: [String] = []
        for interface in try linkedInterfaces() {
            let path = linkPath(interface)
            // Unpinning would detach too, but later: the last reference may be the daemon's.
            if let link = try? XDPLink.openPinned(path) { try? link.detach() }
            try BPFFileSystem.removeTree(path)
            removed.append(path)
        }
        for folder in try folders() {
            try BPFFileSystem.removeTree(folder.path)
            removed.append(folder.path)
        }
        try removeRoot()
        return removed
    }

    /// If the folder was created for this process alone (`ReadWritePaths=` of its unit), it cannot be removed, and
    /// stays empty.
    private func removeRoot() throws {
        do { try BPFFileSystem.removeTree(root) } catch let error as SystemError {
            let isKept = [.resourceBusy, .readOnlyFileSystem, .permissionDenied, .notPermitted].contains(error.errno)
            guard isKept, try BPFFileSystem.list(root).isEmpty else { throw error }
        }
    }
}
