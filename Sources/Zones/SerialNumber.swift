/// Arithmetic of zone serial numbers (RFC 1982).
public enum SerialNumber {
    /// Whether `serial` comes after `other`. If they differ by exactly 2³¹, neither comes after the other.
    public static func isLater(_ serial: UInt32, than other: UInt32) -> Bool {
        serial != other && serial &- other < 1 << 31
    }
}
