import Glibc

/// An account of this machine.
struct Account {
    let user: uid_t
    let group: gid_t
    /// All groups that it is in.
    let groups: [gid_t]

    /// `nil`: there is none.
    init?(named name: String) {
        var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        var memory = [CChar](repeating: 0, count: 16 << 10)
        guard getpwnam_r(name, &entry, &memory, memory.count, &found) == 0, found != nil else { return nil }
        (user, group) = (entry.pw_uid, entry.pw_gid)
        var (count, groups) = (Int32(64), [gid_t](repeating: 0, count: 64))
        guard getgrouplist(name, entry.pw_gid, &groups, &count) >= 0 else {
            self.groups = [entry.pw_gid]
            return
        }
        self.groups = Array(groups.prefix(Int(count)))
    }
}
