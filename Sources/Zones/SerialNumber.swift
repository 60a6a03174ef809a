/// Arithmetic of zones' serials (RFC 1982).
public enum SerialNumber {
    /// Whether `serial` comes after `other`. Of two that are 2³¹ apart neither does.
    public static func isLater(_ serial: UInt32, than other: UInt32) -> Bool {
        serial != other && serial &- other < 1 << 31
    }
}
