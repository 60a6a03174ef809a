import BPFRuntime
import CFastPathABI

/// Where the fast path is pinned:
///
///     /sys/fs/bpf/nearcast/<layout>-<n>/program, node_words, control, locations, …
///     /sys/fs/bpf/nearcast/link-<interface>        one link for each interface, above the folders
///
/// A new program is built beside the old in a folder of its own; updating the links makes it live; then the old
/// folder goes.
public enum PinnedFastPath {
    public static let root = BPFFileSystem.root + "/nearcast"

    static func linkPath(_ interface: String) -> String { "\(root)/link-\(interface)" }

    /// A folder of maps and program.
    struct Folder: Hashable {
        let layout: Int
        let number: Int

        var path: String { "\(root)/\(layout)-\(number)" }

        init(layout: Int, number: Int) {
            self.layout = layout
            self.number = number
        }

        init?(name: String) {
            let parts = name.split(separator: "-")
            guard parts.count == 2, let layout = Int(parts[0]), let number = Int(parts[1]) else { return nil }
            self.init(layout: layout, number: number)
        }
    }

    static func folders() throws -> [Folder] {
        guard BPFFileSystem.exists(root) else { return [] }
        return try BPFFileSystem.list(root).compactMap(Folder.init).sorted { $0.number < $1.number }
    }

    /// Interfaces with a pinned link.
    public static func linkedInterfaces() throws -> [String] {
        guard BPFFileSystem.exists(root) else { return [] }
        return try BPFFileSystem.list(root).filter { $0.hasPrefix("link-") }.map { String($0.dropFirst(5)) }.sorted()
    }

    /// Takes the program off every interface and removes everything pinned. Works without a daemon.
    ///
    /// - Returns: what was removed, by path.
    public static func removeAll() throws -> [String] {
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
        try BPFFileSystem.removeTree(root)
        return removed
    }
}
