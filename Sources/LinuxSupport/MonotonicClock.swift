import Glibc

/// The clock that cannot be set (CLOCK_MONOTONIC). It stops while the machine sleeps.
public enum MonotonicClock {
    /// Nanoseconds since some point before the start of this process.
    public static var nanoseconds: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
}
