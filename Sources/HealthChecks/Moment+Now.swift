public import Health
import LinuxSupport

extension Moment {
    /// The current time of CLOCK_MONOTONIC, which cannot be set.
    public static var now: Moment { Moment(milliseconds: MonotonicClock.nanoseconds / 1_000_000) }
}
