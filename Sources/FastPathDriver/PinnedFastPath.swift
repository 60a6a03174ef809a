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
/// A new program is built beside the old in a folder of its own; updating the links makes it live; then the old
/// folder goes.
public struct PinnedFastPath: Sendable {
    /// The daemon's, of which a machine has one.
    public static let standard = PinnedFastPath(root: BPFFileSystem.root + "/nearcast")

    /// The top folder, absolute and in a BPF file system.
    public let root: String

    public init(root: String) { self.root = root }

    func linkPath(_ interface: String) -> String { "\(root)/link-\(interface)" }

    /// A folder of maps and program.
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

    /// The folder of the program with the kernel's number `id`.
    func folder(of id: UInt32) throws -> Folder? {
        try folders().first { (try? BPFProgram.openPinned("\($0.path)/program"))?.id == id }
    }

    /// The folders of the programs that packets meet; a later one may have been left half made. One, save after a crash
    /// between two links.
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

    /// Makes the root and takes it for this process: two daemons would take each other's links.
    ///
    /// - Returns: nil when another process has it.
    public func lock() throws -> FolderLock? {
        try BPFFileSystem.ensureMounted()
        try BPFFileSystem.makeDirectory(root)
        return try FolderLock(root)
    }

    /// Takes the program off every interface and removes everything pinned. Works without a daemon.
    ///
    /// - Returns: what was removed, by path.
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

    /// Where the folder was made for this process alone (`ReadWritePaths=` of its unit), it cannot be removed, and stays empty.
    private func removeRoot() throws {
        do { try BPFFileSystem.removeTree(root) } catch let error as SystemError {
            let isKept = [.resourceBusy, .readOnlyFileSystem, .permissionDenied, .notPermitted].contains(error.errno)
            guard isKept, try BPFFileSystem.list(root).isEmpty else { throw error }
        }
    }
}
