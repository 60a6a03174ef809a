import CLinux

/// The processors of the machine, as far as this process has a share in them.
public enum Processors {
    /// How many the calling thread may run on (fewer than are online under taskset or in a cpuset); at least 1.
    public static var usable: Int { Int(linux_usable_processors()) }

    /// Makes the calling thread, and only that thread, give way to those that answer, for the rest of its life. Has no
    /// effect where the system refuses it.
    ///
    /// Only for work that takes long anyway: on a busy machine such a thread gets a tenth of a core, or waits for seconds.
    public static func giveWay() { _ = linux_thread_give_way(10) }
}
