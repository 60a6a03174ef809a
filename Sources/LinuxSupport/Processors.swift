import CLinux

/// The CPUs of the machine that this process may use.
public enum Processors {
    /// How many CPUs the calling thread may run on (fewer than are online under taskset or in a cpuset). At least 1.
    public static var usable: Int { Int(linux_usable_processors()) }

    /// Lowers the priority of only the calling thread, so that it gives way to threads that answer. No effect if the
    /// system refuses.
    ///
    /// Only for work that takes long anyway: on a busy machine such a thread gets a tenth of a core, or waits for
    /// seconds.
    public static func giveWay() { _ = linux_thread_give_way(10) }
}
