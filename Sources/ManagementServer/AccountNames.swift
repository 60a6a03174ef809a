import LinuxSupport
import Synchronization
import VisibleText

/// The names of this machine's accounts, as `/etc/passwd` has them.
///
/// Directory services are not asked: their answer may take seconds, and every change would wait for it.
package final class AccountNames: Sendable {
    private struct Known {
        var file: FileFingerprint
        var names: [UInt32: String]
    }

    private static let maximumBytes = 4 << 20

    private let path: String
    private let known: Mutex<Known?>

    package init(path: String = "/etc/passwd") {
        self.path = path
        known = Mutex(nil)
    }

    /// `nil` where the file names no such user.
    package func name(of user: UInt32) -> String? {
        let file = FileFingerprint(path)
        return known.withLock { known in
            if known?.file != file { known = Known(file: file, names: Self.read(path)) }
            return known?.names[user]
        }
    }

    private static func read(_ path: String) -> [UInt32: String] {
        guard let bytes = try? RegularFile.contents(of: path, limit: maximumBytes) else { return [:] }
        var names: [UInt32: String] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            // passwd(5): name, password, user, group, …
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count >= 4, let user = UInt32(fields[2]), names[user] == nil else { continue }
            names[user] = VisibleText.cut(fields[0], after: 64)
        }
        return names
    }
}
