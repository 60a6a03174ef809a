/// A point of monotonic time in milliseconds, relative to a point that is fixed while the machine runs. Setting the
/// clock does not change it.
public struct Moment: Hashable, Comparable, Sendable {
    public let milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    public static func < (left: Moment, right: Moment) -> Bool { left.milliseconds < right.milliseconds }

    /// - Parameter milliseconds: may be negative.
    public static func + (moment: Moment, milliseconds: Int64) -> Moment {
        Moment(milliseconds: moment.milliseconds.addingReportingOverflow(milliseconds).partialValue)
    }

    /// Milliseconds from `right` to `left`.
    public static func - (left: Moment, right: Moment) -> Int64 { left.milliseconds - right.milliseconds }
}
