public import Health
import LinuxSupport

extension Moment {
    /// Of the clock that nobody sets (CLOCK_MONOTONIC).
    public static var now: Moment { Moment(milliseconds: MonotonicClock.nanoseconds / 1_000_000) }
}
