import Glibc
public import Health

extension Moment {
    /// Of the clock that nobody sets (CLOCK_MONOTONIC).
    public static var now: Moment {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Moment(milliseconds: Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000)
    }
}
